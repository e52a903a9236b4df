import type { LedgerEntry, LedgerRow, Settlement, SpentRow, Store } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import type { Param, Row, StatementResult } from '../sqlite.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table } from '../table.ts'
import { addedBy, ledgerSlices } from './ledger-sums.ts'
import type { Amounts } from './ledger-sums.ts'
import { newest } from './newest.ts'
import { slicesOf } from './slices.ts'

const ledger = table<LedgerRow>('ledger', {
  tenant: 'plain',
  entry: 'plain',
  part: 'plain',
  kind: 'plain',
  credits: 'plain',
  estimated: 'bool',
  at: 'plain',
  entryAt: 'plain',
  job: 'plain',
  connection: 'plain',
  integration: 'plain',
  step: 'plain',
  token: 'plain',
  person: 'plain',
})
/** Values of `part` for the rows that end an entry; reservations have smaller ones. */
const part = { settled: 1001, estimated: 1002, released: 1003, unknown: 1004, resolved: 1005, over: 1006 }

const slotMs = 900_000
const dayMs = 86_400_000
const slotsPerDay = dayMs / slotMs

/** Sums of fractions have small rounding errors. */
const rounded = (value: unknown) => Math.round(Number(value) * 1e6) / 1e6
const tolerance = '0.000001'

/** The condition for the budgets that an entry counts in. */
const matching = ({ tenant, connection, token, person, integration, entryAt }: LedgerEntry): Statement => ({
  sql: `b.tenant = ? and (b.scope = 'tenant' or (b.scope = 'connection' and b.subject = ?) or (b.scope = 'token' and b.subject = ?)
    or (b.scope = 'person' and b.subject = ?))
    and (b.integration is null or b.integration = ?) and (b.period <> 'total' or b.created_at <= ?)`,
  params: [tenant, connection ?? '', token ?? '', person ?? '', integration, entryAt],
})

const valuesOf = ledger.columns.map(() => '?').join(', ')
const insertWhere = (row: LedgerRow, { sql, params }: Statement): Statement => ({
  sql: `insert into ledger (${ledger.columns.join(', ')}) select ${valuesOf} where ${sql}`,
  params: [...ledger.params(row), ...params],
})

const totalKey = ['tenant', 'slot', 'integration', 'step', 'connection', 'token']
type Change = { spent: number; estimated: number; /** An expression. */ reserved: Statement }
/** Adds to the totals of an entry's quarter hour, if the condition `only` holds. */
const addToTotals = (entry: LedgerEntry, { spent, estimated, reserved }: Change, only: Statement): Statement => ({
  sql: `insert into credit_totals (${totalKey.join(', ')}, spent, estimated, reserved) select ?, ?, ?, ?, ?, ?, ?, ?, ${reserved.sql} where ${only.sql}
    on conflict (${totalKey.join(', ')}) do update set spent = credit_totals.spent + excluded.spent,
    estimated = credit_totals.estimated + excluded.estimated, reserved = credit_totals.reserved + excluded.reserved`,
  params: [
    entry.tenant,
    Math.floor(entry.entryAt / slotMs),
    entry.integration,
    entry.step,
    entry.connection ?? '',
    entry.token ?? '',
    spent,
    estimated,
    ...reserved.params,
    ...only.params,
  ],
})

/** The condition for the budget periods that an entry counts in. */
const periodsOf = (entry: LedgerEntry): Statement => {
  const { sql, params } = matching(entry)
  return {
    sql: `tenant = ? and starts_at <= ? and ends_at > ? and budget in (select b.id from budgets b where ${sql})`,
    params: [entry.tenant, entry.entryAt, entry.entryAt, ...params],
  }
}

/** The state of the warning once this much was added to a period; its value 1 means that it is to be sent. */
const warnedWith = (tenant: string, added: Statement): Statement => ({
  sql: `case when warned = 0 and spent + reserved + ${added.sql} >=
    (select w.credits * w.warn_at from budgets w where w.tenant = ? and w.id = budget_periods.budget) then 1 else warned end`,
  params: [...added.params, tenant],
})
const isWarningDue = ({ rows }: StatementResult) => rows.some(({ warned }) => Number(warned) === 1)

const reserveStatements = (row: LedgerRow): Statement[] => {
  const { tenant, entry, entryAt, credits } = row
  const budgets = matching(row)
  const fits: Statement = {
    sql: `not exists (select 1 from budgets b where ${budgets.sql} and not exists (select 1 from budget_periods p where p.tenant = ? and p.budget = b.id
      and p.starts_at <= ? and p.ends_at > ? and p.spent + p.reserved + ? <= b.credits + ${tolerance}))`,
    params: [...budgets.params, tenant, entryAt, entryAt, credits],
  }
  const isIn: Statement = {
    sql: 'exists (select 1 from ledger where tenant = ? and entry = ? and part = ?)',
    params: [tenant, entry, row.part],
  }
  const periods = periodsOf(row)
  const warned = warnedWith(tenant, { sql: '?', params: [credits] })
  return [
    insertWhere(row, fits),
    {
      sql: `update budget_periods set reserved = reserved + ?, warned = ${warned.sql}
        where ${periods.sql} and ${isIn.sql} returning warned`,
      params: [credits, ...warned.params, ...periods.params, ...isIn.params],
    },
    addToTotals(row, { spent: 0, estimated: 0, reserved: { sql: '?', params: [credits] } }, isIn),
  ]
}

/** How many credits are still reserved by an entry. */
const openOf = ({ tenant, entry }: Pick<LedgerEntry, 'tenant' | 'entry'>): Statement => ({
  sql: `(select coalesce(sum(case kind when 'reserved' then credits when 'released' then -credits else 0 end), 0) from ledger where tenant = ? and entry = ?)`,
  params: [tenant, entry],
})

type Closing = {
  spent: number
  estimated: number
  /** Credits that stay reserved. */ stays: number
  releasedAs: number
  rows: Pick<LedgerRow, 'part' | 'kind' | 'credits' | 'estimated'>[]
}
/**
 * Ends an entry if the condition `only` holds. The totals come first, because they are computed from the present rows.
 */
const closeStatements = (
  entry: LedgerEntry,
  at: number,
  { spent, estimated, stays, releasedAs, rows }: Closing,
  only: Statement,
): Statement[] => {
  const { tenant, entry: id, entryAt, job, connection, integration, step, token, person } = entry
  const open = openOf(entry)
  const periods = periodsOf(entry)
  const warned = warnedWith(tenant, { sql: `? - ${open.sql}`, params: [spent + stays, ...open.params] })
  const base = { tenant, entry: id, entryAt, job, connection, integration, step, token, person: person ?? null, at }
  const released = { ...base, part: releasedAs, kind: 'released' as const, credits: 0, estimated: false }
  const releasedParams = ledger.params(released)
  const place = ledger.columns.indexOf('credits')
  return [
    addToTotals(
      entry,
      { spent, estimated, reserved: { sql: `? - ${open.sql}`, params: [stays, ...open.params] } },
      only,
    ),
    {
      sql: `update budget_periods set spent = spent + ?, reserved = reserved + ? - ${open.sql}, warned = ${warned.sql}
        where ${periods.sql} and ${only.sql} returning warned`,
      params: [spent, stays, ...open.params, ...warned.params, ...periods.params, ...only.params],
    },
    ...rows.map((row) => insertWhere({ ...base, ...row }, only)),
    {
      sql: `insert into ledger (${ledger.columns.join(', ')}) select ${ledger.columns.map((name) => (name === 'credits' ? `${open.sql} - ?` : '?')).join(', ')}
        where ${only.sql}`,
      params: [
        ...releasedParams.slice(0, place),
        ...open.params,
        stays,
        ...releasedParams.slice(place + 1),
        ...only.params,
      ],
    },
  ]
}

/** Statements that end the entry of a run; commit them together with the run's row. */
export const settleStatements = (settlement: Settlement): Statement[] => {
  const { tenant, entry, at, charged, estimated, unknown } = settlement
  const only: Statement = {
    sql: `not exists (select 1 from ledger c where c.tenant = ? and c.entry = ? and c.part in (${part.released}, ${part.over}))`,
    params: [tenant, entry],
  }
  const rows = [
    { part: part.settled, kind: 'settled' as const, credits: charged, estimated: false },
    { part: part.estimated, kind: 'settled' as const, credits: estimated, estimated: true },
    { part: part.unknown, kind: 'unknown' as const, credits: unknown, estimated: true },
  ].filter(({ credits }) => credits > 0)
  // The `unknown` row already exists when this process had been taken for dead.
  const once = (row: (typeof rows)[number]) => row.part !== part.unknown
  const closing = {
    spent: charged + estimated,
    estimated,
    stays: unknown,
    releasedAs: part.released,
    rows: rows.filter(once),
  }
  const last = rows.find((row) => !once(row))
  const isNew: Statement = {
    sql: 'not exists (select 1 from ledger c where c.tenant = ? and c.entry = ? and c.part = ?)',
    params: [tenant, entry, part.unknown],
  }
  const { charged: _, estimated: __, unknown: ___, ...base } = settlement
  return [
    ...(last ? [insertWhere({ ...base, ...last }, joinedBy(only, isNew))] : []),
    ...closeStatements(settlement, at, closing, only),
  ]
}

const joinedBy = (a: Statement, b: Statement): Statement => ({
  sql: `${a.sql} and ${b.sql}`,
  params: [...a.params, ...b.params],
})

export const creditsIn = (db: Db): Store['credits'] => ({
  reserve: async (row) => {
    const [inserted, periods] = await db.write(reserveStatements(row), { admits: true })
    return { fits: inserted!.changes > 0, isDue: isWarningDue(periods!) }
  },
  // Of its statements, only that of the periods has rows.
  settle: async (settlement) => ({ isDue: (await db.write(settleStatements(settlement))).some(isWarningDue) }),
  abandon: async (tenant, entry, at) => {
    const columns = ledger.columns.filter((name) => name !== 'tenant')
    const taken: Record<string, string> = {
      part: String(part.unknown),
      kind: `'unknown'`,
      estimated: '1',
      at: '?',
      credits: openOf({ tenant, entry }).sql,
    }
    const sql = `insert into ledger (tenant, ${columns.join(', ')}) select ?, ${columns.map((name) => taken[name] ?? `f.${name}`).join(', ')} from ledger f
      where f.tenant = ? and f.entry = ? and f.part = 1 and not exists (select 1 from ledger c where c.tenant = ? and c.entry = ? and c.part > 1000)`
    const params = columns.flatMap((name): Param[] =>
      name === 'at' ? [at] : name === 'credits' ? [tenant, entry] : [],
    )
    await db.write([{ sql, params: [tenant, ...params, tenant, entry, tenant, entry] }])
  },
  resolve: async (entry, { at, credits, rows }) => {
    const only: Statement = {
      sql: `(select count(*) from ledger c where c.tenant = ? and c.entry = ? and c.part <> ${part.resolved}) = ?`,
      params: [entry.tenant, entry.entry, rows],
    }
    const row = { part: part.resolved, kind: 'resolved' as const, credits, estimated: false }
    const done = await db.write(
      closeStatements(entry, at, { spent: credits, estimated: 0, stays: 0, releasedAs: part.over, rows: [row] }, only),
    )
    return done.at(-1)!.changes > 0
  },
  entry: async (tenant, entry) =>
    (await db.read('select * from ledger where tenant = ? and entry = ? order by part', [tenant, entry])).map(
      ledger.fromRow,
    ),
  list: async (tenant, page, filter = {}) => {
    const { connections, unresolved, since, until, kind, ...plain } = filter
    const position = readCursor(page.cursor)
    const [entry = '', place = ''] = position?.id.split(' ') ?? []
    const within: Statement = {
      sql: `tenant = ?${since === undefined ? '' : ' and at >= ?'}${until === undefined ? '' : ' and at < ?'}`,
      params: [tenant, ...(since === undefined ? [] : [since]), ...(until === undefined ? [] : [until])],
    }
    const open: Statement = unresolved
      ? {
          sql: ` and not exists (select 1 from ledger o where o.tenant = ? and o.entry = ledger.entry and o.part = ${part.over})`,
          params: [tenant],
        }
      : { sql: '', params: [] }
    const rows = await newest(db, {
      table: 'ledger',
      keys: ['at', 'entry', 'part'],
      within,
      filter: joined(
        alsoWhere({ ...plain, kind: unresolved ? 'unknown' : kind }),
        alsoIn('connection', connections),
        open,
      ),
      after: position && [position.at, entry, Number(place)],
      rows: page.limit + 1,
    })
    return listed(rows.map(ledger.fromRow), page, (row) => ({ at: row.at, id: `${row.entry} ${row.part}` }))
  },
  spent: (tenant, since, person) =>
    person === undefined
      ? spentOf(db, tenant, Math.floor(since / dayMs) * slotsPerDay)
      : spentFor(db, tenant, Math.floor(since / dayMs) * dayMs, person),
})

/** Of one person, from the ledger: the totals do not tell people apart. Read in slices. */
const spentFor = async (db: Db, tenant: string, from: number, person: string): Promise<SpentRow[]> => {
  const sums = createSums()
  const within = { sql: 'tenant = ? and person = ?', params: [tenant, person] }
  for await (const rows of ledgerSlices(db, within, from))
    for (const row of rows) sums.add(Number(row['entry_at']), row, addedBy(row))
  return sums.rows()
}

/** Reads in slices and adds up by day. */
const spentOf = async (db: Db, tenant: string, from: number): Promise<SpentRow[]> => {
  const sums = createSums()
  const slices = slicesOf(db, {
    table: 'credit_totals',
    keys: totalKey.slice(1),
    within: { sql: 'tenant = ?', params: [tenant] },
    after: [from, '', '', '', ''],
  })
  for await (const rows of slices)
    for (const row of rows)
      sums.add(Number(row['slot']) * slotMs, row, {
        spent: Number(row['spent']),
        estimated: Number(row['estimated']),
        reserved: Number(row['reserved']),
      })
  return sums.rows()
}

/** Adds amounts up by day, integration, step, connection and token. */
const createSums = () => {
  const sums = new Map<string, SpentRow>()
  return {
    add(at: number, row: Row, added: Amounts) {
      const of = {
        day: new Date(at).toISOString().slice(0, 10),
        integration: String(row['integration']),
        step: String(row['step']),
        connection: orNull(row['connection']),
        token: orNull(row['token']),
      }
      const key = JSON.stringify(of)
      const sum = sums.get(key) ?? { ...of, spent: 0, estimated: 0, reserved: 0 }
      for (const name of ['spent', 'estimated', 'reserved'] as const) sum[name] = rounded(sum[name] + added[name])
      sums.set(key, sum)
    },
    /** Newest day first. */
    rows: (): SpentRow[] =>
      [...sums.values()]
        .toReversed()
        .toSorted((row, other) => (row.day < other.day ? 1 : row.day > other.day ? -1 : 0)),
  }
}
const orNull = (value: unknown) => (value === '' || value === null ? null : String(value))
