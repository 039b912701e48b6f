-- the twenty longest calls
SELECT c.name, c.duration, c.self, c.start, c.process, c.thread, c.depth, c.id
FROM calls AS c WHERE c.duration IS NOT NULL ORDER BY c.duration DESC, c.id LIMIT 20;
