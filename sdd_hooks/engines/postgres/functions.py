"""Functions of the database that search all repositories, with the rights of the schema's owner.

A condition that is no comparison, such as the match of a `tsquery`, could show rows to its own
functions before row-level security excludes them, so that the server uses no index for it. These
functions run as the owner, whose policy is always true, and limit the search themselves to what
the role that called them may read. They return ids and numbers only.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0060 (grants)

from __future__ import annotations

FUNCTIONS = """
    CREATE FUNCTION sdd.readable_repositories() RETURNS integer[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
    -- NULL stands for all of them.
    AS $$ SELECT CASE WHEN NOT '*' = ANY(sdd.granted(false)) THEN sdd.permitted(false) END $$;
    CREATE FUNCTION sdd.add_model(model text, format text, size integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    DECLARE
        added integer;
    BEGIN
        IF sdd.granted(true) = '{}' THEN
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
    REVOKE ALL ON FUNCTION sdd.readable_repositories, sdd.add_model FROM PUBLIC;
"""

CHANGES = """
    CREATE FUNCTION sdd.add_repository(of_name text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    BEGIN
        IF NOT sdd.granted(true) && ARRAY[of_name, '*'] THEN
            RAISE insufficient_privilege USING MESSAGE = 'permission denied to add a repository';
        END IF;
        INSERT INTO sdd.repositories(name) VALUES(of_name) ON CONFLICT DO NOTHING;
        RETURN (SELECT r.id FROM sdd.repositories AS r WHERE r.name = of_name);
    END $$;
    CREATE FUNCTION sdd.delete_chunks(
        of_repository integer, documents bigint[],
        OUT chunks bigint, OUT length double precision, OUT tokens bigint
    )
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    BEGIN
        IF NOT of_repository = ANY(sdd.permitted(true)) THEN
            documents := '{}';
        END IF;
        WITH deleted AS (
            DELETE FROM sdd.chunks AS c
            WHERE c.repository = of_repository AND c.document = ANY(documents)
            RETURNING c.length, c.tokens
        )
        SELECT count(*), coalesce(sum(d.length), 0), coalesce(sum(d.tokens), 0)
        INTO chunks, length, tokens FROM deleted AS d;
    END $$;
    CREATE FUNCTION sdd.delete_documents(of_repository integer, documents bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    BEGIN
        IF of_repository = ANY(sdd.permitted(true)) THEN
            DELETE FROM sdd.documents AS d
            WHERE d.repository = of_repository AND d.id = ANY(documents);
        END IF;
    END $$;
    CREATE FUNCTION sdd.delete_collection(of_repository integer, of_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    BEGIN
        IF of_repository = ANY(sdd.permitted(true)) THEN
            DELETE FROM sdd.collections AS c
            WHERE c.repository = of_repository AND c.name = of_name;
        END IF;
    END $$;
    REVOKE ALL ON FUNCTION sdd.add_repository, sdd.delete_chunks, sdd.delete_documents,
        sdd.delete_collection FROM PUBLIC;
"""
"""Changes by writers. A right to delete rows would be one to lock the whole table, too. The
functions ask for the role that called: on another node, the policies see their owner."""

SEARCHES_BY_WORDS = """
    -- Whether to read each chunk of some repositories, and not the index of words: that reads the
    -- words of all repositories that begin with one of the query, which are 30 times as many.
    CREATE FUNCTION sdd.reads_each(among integer[], term tsquery) RETURNS boolean
    LANGUAGE plpgsql SET search_path = pg_catalog
    AS $$
    DECLARE
        plan json;
    BEGIN
        IF among IS NULL OR sdd.is_distributed() THEN
            RETURN false;
        END IF;
        EXECUTE format(
            'EXPLAIN (FORMAT JSON) SELECT FROM sdd.chunks WHERE words @@ %L::tsquery', term
        ) INTO plan;
        RETURN (plan #>> '{0,Plan,Plan Rows}')::double precision > 30 * (
            SELECT coalesce(sum(r.chunks), 0) FROM sdd.repositories AS r WHERE r.id = ANY(among)
        );
    END $$;
    CREATE FUNCTION sdd.match_words(
        among integer[], kinds text[], names text[], candidate tsquery, phrases tsquery[],
        weights double precision[], average double precision, budget integer, kept integer
    ) RETURNS TABLE(repository integer, chunk bigint, score double precision)
    -- Volatile, which EXPLAIN requires.
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    DECLARE
        readable integer[] := sdd.readable_repositories();
        matches text := 'c.words @@ $4';
        condition text := '';
        source text;
    BEGIN
        IF readable IS NOT NULL AND among IS NOT NULL THEN
            among := ARRAY(SELECT unnest(among) INTERSECT SELECT unnest(readable));
        ELSIF readable IS NOT NULL THEN
            among := readable;
        END IF;
        -- A condition only where it limits something: the planner estimates it.
        IF among IS NOT NULL THEN condition := ' AND c.repository = ANY($1)'; END IF;
        IF sdd.reads_each(among, candidate) THEN
            matches := '(c.words @@ $4) IS TRUE';
        ELSIF cardinality(among) <= 5 THEN
            condition := condition || ' AND ARRAY[c.repository] && $1';
        END IF;
        IF kinds IS NOT NULL THEN condition := condition || ' AND c.kind = ANY($2)'; END IF;
        IF names IS NOT NULL THEN condition := condition || ' AND c.collection = ANY($3)'; END IF;
        -- A subquery with a limit would bring the words of its chunks from each node.
        IF sdd.is_distributed() THEN
            source := 'sdd.chunks AS c WHERE ' || matches || condition;
        ELSE
            source := '(SELECT c.repository, c.id, c.tokens, c.words FROM sdd.chunks AS c'
                ' WHERE ' || matches || condition || ' LIMIT $8) AS c';
        END IF;
        -- `ts_rank_cd` of a phrase is the sum of the weights of its positions, and the weights are
        -- half of those of FTS5's bm25(), whose formula this is.
        RETURN QUERY EXECUTE
            'SELECT c.repository, c.id, (SELECT sum(p.weight * n * 2.2'
            ' / (n + 1.2 * (0.25 + 0.75 * c.tokens / $7))) FROM unnest($5, $6) AS'
            ' p(phrase, weight), LATERAL (SELECT 2 * ts_rank_cd(''{0,0.25,0.5,1}'', c.words,'
            ' p.phrase)::float8 AS n OFFSET 0) AS counted) AS score FROM ' || source ||
            ' ORDER BY score DESC, c.repository, c.id LIMIT $9'
            USING among, kinds, names, candidate, phrases, weights, average, budget, kept;
    END $$;
    CREATE FUNCTION sdd.count_words(among integer[], terms tsquery[], most integer)
    RETURNS SETOF bigint
    -- Volatile, which EXPLAIN requires.
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
    AS $$
    DECLARE
        readable integer[] := sdd.readable_repositories();
        condition text := '';
        term tsquery;
        plan json;
        estimate bigint;
        counted bigint;
    BEGIN
        IF readable IS NOT NULL AND among IS NOT NULL THEN
            among := ARRAY(SELECT unnest(among) INTERSECT SELECT unnest(readable));
        ELSIF readable IS NOT NULL THEN
            among := readable;
        END IF;
        IF among IS NOT NULL THEN condition := ' AND c.repository = ANY($2)'; END IF;
        IF cardinality(among) <= 5 THEN
            condition := condition || ' AND ARRAY[c.repository] && $2';
        END IF;
        FOREACH term IN ARRAY terms LOOP
            estimate := 0;
            IF sdd.is_distributed() THEN
                -- Each node counts its own: their plans are not known here.
                EXECUTE 'SELECT count(*) FROM sdd.chunks AS c WHERE c.words @@ $1' || condition
                    INTO estimate USING term, among;
                RETURN NEXT estimate;
                CONTINUE;
            ELSIF among IS NULL THEN
                EXECUTE format(
                    'EXPLAIN (FORMAT JSON) SELECT FROM sdd.chunks WHERE words @@ %L::tsquery', term
                ) INTO plan;
                estimate := (plan #>> '{0,Plan,Plan Rows}')::double precision;
            END IF;
            IF estimate <= most THEN
                EXECUTE 'SELECT count(*) FROM (SELECT FROM sdd.chunks AS c WHERE '
                    || CASE WHEN sdd.reads_each(among, term)
                        THEN '(c.words @@ $1) IS TRUE AND c.repository = ANY($2)'
                        ELSE 'c.words @@ $1' || condition END
                    || ' LIMIT $3) AS found' INTO counted USING term, among, most;
                estimate := CASE WHEN counted < most THEN counted ELSE greatest(most, estimate) END;
            END IF;
            RETURN NEXT estimate;
        END LOOP;
    END $$;
    REVOKE ALL ON FUNCTION sdd.reads_each, sdd.match_words, sdd.count_words FROM PUBLIC;
"""
