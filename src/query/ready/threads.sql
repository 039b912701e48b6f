-- what each thread did: ended calls and their time; its time span
SELECT t.process, t.thread, t.name, sum(c.calls) AS calls, sum(c.self) AS self, t.first, t.last
FROM threads AS t
LEFT JOIN parts AS p ON p.thread IS t.thread AND p.process IS t.process
LEFT JOIN contexts AS c ON c.part = p.id AND c.event = (SELECT name FROM events WHERE id = 0)
GROUP BY t.process, t.thread ORDER BY self DESC;
