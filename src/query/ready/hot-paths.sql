-- the ten call paths with most self cost, outermost function first
WITH RECURSIVE
  first(event) AS (SELECT name FROM events WHERE id = 0),
  node AS MATERIALIZED (SELECT id, parent, function, self FROM contexts WHERE event = (SELECT event FROM first)),
  hot AS MATERIALIZED (SELECT id, self FROM node ORDER BY self DESC, id LIMIT 10),
  way(leaf, id, path) AS (
    SELECT h.id, n.parent, f.name FROM hot AS h JOIN node AS n ON n.id = h.id JOIN functions AS f ON f.id = n.function
    UNION ALL
    SELECT w.leaf, n.parent, f.name || ' > ' || w.path
    FROM way AS w JOIN node AS n ON n.id = w.id JOIN functions AS f ON f.id = n.function)
SELECT h.self, w.path FROM hot AS h JOIN way AS w ON w.leaf = h.id AND w.id IS NULL ORDER BY h.self DESC, h.id;
