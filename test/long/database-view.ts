/** What a PostgreSQL server itself knows of its work: statements, dead rows, vacuum, free space in tables. */
import pg from 'pg'

/** Settings that the server needs from its start. */
export const viewSettings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': '1000' }

export type TableView = {
  /** Dead rows for each row that lives. */
  dead: number
  /** Bytes of all tables with their indexes. */
  bytes: number
  /** Runs of autovacuum so far. */
  vacuums: number
  connections: number
}
export type StatementView = { sql: string; calls: number; rows: number; ms: number }

/** Opens a connection of its own. The extensions are created in the database. */
export const openView = async (url: string) => {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('create extension if not exists pg_stat_statements')
  await client.query('create extension if not exists pgstattuple')
  return {
    async tables(): Promise<TableView> {
      const { rows } = await client.query<TableView>(
        `select coalesce(sum(n_dead_tup), 0)::float / greatest(coalesce(sum(n_live_tup), 0), 1) as dead,
           coalesce(sum(pg_total_relation_size(relid)), 0)::float as bytes,
           coalesce(sum(autovacuum_count), 0)::float as vacuums,
           (select count(*) from pg_stat_activity
             where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid())::float as connections
         from pg_stat_user_tables`,
      )
      return rows[0]!
    },
    /** Counts statements from now on. */
    async countAnew(): Promise<void> {
      await client.query('select pg_stat_statements_reset()')
    },
    /** The statements that took most time, and the sums of all. */
    async statements(limit: number): Promise<{ top: StatementView[]; calls: number; ms: number }> {
      const ofThis = `from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`
      const { rows: top } = await client.query<StatementView>(
        `select query as sql, calls::float, rows::float, (total_exec_time + total_plan_time) as ms ${ofThis}
         order by total_exec_time desc limit $1`,
        [limit],
      )
      const { rows: sums } = await client.query<{ calls: number; ms: number }>(
        `select sum(calls)::float as calls, sum(total_exec_time + total_plan_time) as ms ${ofThis}`,
      )
      return { top, ...sums[0]! }
    },
    /** The largest tables, with the share of their bytes that no row uses. */
    async bloat(limit: number): Promise<{ name: string; bytes: number; free: number }[]> {
      const { rows } = await client.query<{ name: string; bytes: number; free: number }>(
        `select relid::regclass::text as name, pg_total_relation_size(relid)::float as bytes,
           case when pg_relation_size(relid) = 0 then 0 else (select free_percent + dead_tuple_percent from pgstattuple(relid)) / 100 end as free
         from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit $1`,
        [limit],
      )
      return rows
    },
    close: () => client.end(),
  }
}
export type DatabaseView = Awaited<ReturnType<typeof openView>>
