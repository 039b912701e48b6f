-- the twenty heaviest pairs of caller and callee, of the first event
SELECT p.name AS caller, q.name AS callee, sum(a.calls) AS calls, sum(a.inclusive) AS inclusive
FROM arcs AS a LEFT JOIN functions AS p ON p.id = a.caller JOIN functions AS q ON q.id = a.callee
WHERE a.event = (SELECT name FROM events WHERE id = 0)
GROUP BY a.caller, a.callee ORDER BY 4 DESC, 1, 2 LIMIT 20;
