"""Functions of the database that search all repositories, with the rights of the schema's owner.

A condition that is no comparison, such as the match of a `tsquery`, could show rows to its own
functions before row-level security excludes them, so that the server uses no index for it. These
functions run as the owner, whose policy is always true, and limit the search themselves to what
the role that called them may read. They return ids and numbers only.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0060 (grants)

from __future__ import annotations

FUNCTIONS = """
    CREATE FUNCTION sdd.invoker() RETURNS text
    LANGUAGE sql STABLE SET search_path = pg_catalog
    AS $$ SELECT CASE current_setting('role') WHEN 'none' THEN session_user::text
        ELSE current_setting('role') END $$;
    CREATE FUNCTION sdd.readable_repositories() RETURNS integer[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
    AS $$
        WITH mine AS (
            SELECT g.repository FROM sdd.grants AS g JOIN pg_roles AS r ON r.rolname = g.role
            WHERE pg_has_role(sdd.invoker(), r.oid, 'USAGE')
        )
        -- NULL stands for all of them.
        SELECT CASE WHEN NOT EXISTS (SELECT FROM mine WHERE repository = '*') THEN coalesce(
            (SELECT array_agg(id) FROM sdd.repositories
                WHERE name IN (SELECT repository FROM mine)), '{}') END
    $$;
    CREATE FUNCTION sdd.add_model(model text, format text, size integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    DECLARE
        added integer;
    BEGIN
        IF NOT EXISTS (
            SELECT FROM sdd.grants AS g JOIN pg_roles AS r ON r.rolname = g.role
            WHERE g.writes AND pg_has_role(sdd.invoker(), r.oid, 'USAGE')
        ) THEN
            RAISE insufficient_privilege USING MESSAGE = 'permission denied to add a model';
        END IF;
        IF size NOT BETWEEN 1 AND 16000 OR format NOT IN ('int8', 'float32') THEN
            RAISE EXCEPTION 'no such vectors: % of % dimensions', format, size;
        END IF;
        INSERT INTO sdd.models(name, storage, dimensions) VALUES(model, format, size)
        ON CONFLICT DO NOTHING RETURNING id INTO added;
        IF added IS NOT NULL AND size <= {indexed_dimensions} THEN
            EXECUTE format(
                'CREATE INDEX vectors_of_model_%s ON sdd.vectors USING hnsw'
                ' ((vector::{vector}(%s)) {vector}_cosine_ops) WHERE model = %s',
                added, size, added
            );
        END IF;
        RETURN added;
    END $$;
    CREATE FUNCTION sdd.match_words(
        among integer[], kinds text[], names text[], candidate tsquery, terms tsquery[],
        weights double precision[], average double precision, budget integer, kept integer
    ) RETURNS TABLE(repository integer, chunk bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    DECLARE
        readable integer[] := sdd.readable_repositories();
        condition text := '';
    BEGIN
        IF readable IS NOT NULL AND among IS NOT NULL THEN
            among := ARRAY(SELECT unnest(among) INTERSECT SELECT unnest(readable));
        ELSIF readable IS NOT NULL THEN
            among := readable;
        END IF;
        -- A condition only where it limits something: the planner estimates it.
        IF among IS NOT NULL THEN condition := ' AND c.repository = ANY($1)'; END IF;
        IF kinds IS NOT NULL THEN condition := condition || ' AND c.kind = ANY($2)'; END IF;
        IF names IS NOT NULL THEN condition := condition || ' AND c.collection = ANY($3)'; END IF;
        RETURN QUERY EXECUTE
            'SELECT found.repository, found.id FROM (SELECT c.repository, c.id, c.length, c.words'
            ' FROM sdd.chunks AS c WHERE c.words @@ $4' || condition || ' LIMIT $8) AS found'
            ' ORDER BY (SELECT sum(t.weight * ts_rank(''{0,0.25,0.5,1}'', found.words, t.term))'
            ' FROM unnest($5, $6) AS t(term, weight)) / (0.5 + 0.5 * found.length / $7) DESC,'
            ' found.repository, found.id LIMIT $9'
            USING among, kinds, names, candidate, terms, weights, average, budget, kept;
    END $$;
    CREATE FUNCTION sdd.count_words(among integer[], term tsquery, most integer) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    DECLARE
        readable integer[] := sdd.readable_repositories();
        plan json;
        estimate bigint := 0;
        counted bigint;
    BEGIN
        IF readable IS NOT NULL AND among IS NOT NULL THEN
            among := ARRAY(SELECT unnest(among) INTERSECT SELECT unnest(readable));
        ELSIF readable IS NOT NULL THEN
            among := readable;
        END IF;
        IF among IS NULL THEN
            EXECUTE format(
                'EXPLAIN (FORMAT JSON) SELECT FROM sdd.chunks WHERE words @@ %L::tsquery', term
            ) INTO plan;
            estimate := (plan #>> '{0,Plan,Plan Rows}')::double precision;
            IF estimate > most THEN RETURN estimate; END IF;
            SELECT count(*) INTO counted
            FROM (SELECT FROM sdd.chunks AS c WHERE c.words @@ term LIMIT most) AS found;
        ELSE
            EXECUTE 'SELECT count(*) FROM (SELECT FROM sdd.chunks AS c'
                ' WHERE c.repository = ANY($1) AND c.words @@ $2 LIMIT $3) AS found'
                INTO counted USING among, term, most;
        END IF;
        RETURN greatest(counted, estimate);
    END $$;
    REVOKE ALL ON FUNCTION sdd.invoker, sdd.readable_repositories, sdd.add_model, sdd.match_words,
        sdd.count_words FROM PUBLIC;
"""
