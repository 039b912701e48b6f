-- the twenty longest times in which a thread was in no call
WITH top AS MATERIALIZED (SELECT process, thread, start, "end", name FROM calls WHERE depth = 0),
  pairs AS (SELECT process, thread, name AS before, "end" AS start,
    lead(start) OVER (PARTITION BY process, thread ORDER BY start) AS "end",
    lead(name) OVER (PARTITION BY process, thread ORDER BY start) AS after FROM top)
SELECT process, thread, start, "end" - start AS duration, before, after
FROM pairs WHERE "end" > start ORDER BY duration DESC, start LIMIT 20;
