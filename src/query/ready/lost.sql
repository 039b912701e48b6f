-- what is damaged or lost, and where
SELECT status AS what, text AS detail, file, offset, length FROM damage
UNION ALL
SELECT what, count, 'process ' || ifnull(process, '?') || ', thread ' || ifnull(thread, '?'), NULL, NULL FROM losses;
