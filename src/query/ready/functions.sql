-- the twenty functions with most self cost, and their share of it
SELECT f.name, f.self, round(100.0 * f.self / nullif(e.total, 0), 2) AS percent, f.inclusive, f.calls, f.object
FROM functions AS f JOIN events AS e ON e.id = 0 ORDER BY f.self DESC, f.id LIMIT 20;
