import type { Approval, ApprovalRule, ApprovalState, Store } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import { newest } from './newest.ts'
import { insertNotices } from './notifications.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'

/** The columns have other names, because `when` and `by` are words of SQL. */
type RuleRow = Omit<ApprovalRule, 'when' | 'by'> & {
  conditions: ApprovalRule['when']
  deciders: ApprovalRule['by']
}
type Row = Omit<Approval, 'by'> & { deciders: Approval['by'] }
type PlainRow = Omit<Row, 'secrets'>

const rules = table<RuleRow>('approval_rules', {
  tenant: 'plain',
  id: 'plain',
  name: 'plain',
  conditions: 'json',
  deciders: 'json',
  expiresMinutes: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
})

const ruleToRow = ({ when: conditions, by: deciders, ...rule }: ApprovalRule): RuleRow => ({
  ...rule,
  conditions,
  deciders,
})
const ruleFromRow = (row: Parameters<typeof rules.fromRow>[0]): ApprovalRule => {
  const { conditions, deciders, ...rule } = rules.fromRow(row)
  return { ...rule, when: conditions, by: deciders }
}

const plainKinds = {
  tenant: 'plain',
  id: 'plain',
  state: 'plain',
  kind: 'plain',
  identity: 'plain',
  revision: 'plain',
  integration: 'plain',
  step: 'plain',
  connection: 'plain',
  token: 'plain',
  person: 'plain',
  callerPerson: 'plain',
  startId: 'plain',
  effect: 'plain',
  credits: 'plain',
  rule: 'plain',
  deciders: 'json',
  runId: 'plain',
  attempt: 'plain',
  code: 'plain',
  decidedBy: 'plain',
  decidedAt: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
  nextAt: 'plain',
  endedAt: 'plain',
} as const
const plainApprovals = table<PlainRow>('approvals', plainKinds)
const approvals = table<Row>('approvals', { ...plainKinds, secrets: 'json' })

/** How long contents may be that are read for a list, in characters: a page has up to 200 of them. */
const maxListed = 32_768
const listedColumns = [
  ...plainApprovals.columns,
  `case when length(secrets) <= ${maxListed} then secrets else '{}' end as secrets`,
]

const toRow = ({ by: deciders, ...approval }: Approval): Row => ({ ...approval, deciders })
const fromRow = (row: Parameters<typeof approvals.fromRow>[0]): Approval => {
  const { deciders, ...approval } = approvals.fromRow(row)
  return { ...approval, by: deciders }
}

/** Inserts a row while fewer than `max` rows of its tenant meet the condition. */
const insertBelow = ({ name, columns }: { name: string; columns: string[] }, condition: string) =>
  `insert into ${name} (${columns.join(', ')}) select ${columns.map(() => '?').join(', ')}
    where (select count(*) from ${name} where tenant = ?${condition}) < ?`
const insertRule = insertBelow(rules, '')
const insertApproval = `${insertBelow(approvals, ` and state = 'open' and expires_at > ?`)}
  on conflict (tenant, identity) where identity is not null do nothing`

export const approvalRulesIn = (db: Db): Store['approvalRules'] => ({
  add: async (rule, max) => {
    const params = [...rules.params(ruleToRow(rule)), rule.tenant, max]
    return wrote(await db.write([{ sql: insertRule, params }], { admits: true }))
  },
  get: async (tenant, id) =>
    (await db.read('select * from approval_rules where tenant = ? and id = ?', [tenant, id])).map(ruleFromRow)[0],
  list: async (tenant) => {
    const which = tenant === undefined ? '/* every tenant: approvalRules.list */' : 'where tenant = ?'
    const sql = `select * from approval_rules ${which} order by created_at, tenant, id`
    return (await db.read(sql, tenant === undefined ? [] : [tenant])).map(ruleFromRow)
  },
  change: async (rule) => {
    const { tenant, id, createdAt: _, ...changes } = ruleToRow(rule)
    const { sql, params } = rules.assign(changes)
    const change = `update approval_rules set ${sql} where tenant = ? and id = ?`
    return wrote(await db.write([{ sql: change, params: [...params, tenant, id] }]))
  },
  remove: async (tenant, id) =>
    wrote(await db.write([{ sql: 'delete from approval_rules where tenant = ? and id = ?', params: [tenant, id] }])),
})

/** Skips from one tenant to the next in an index that starts with the tenant. */
const eachTenant = (name: string, from: string, also: string) => `${name} (tenant) as (
    select min(tenant) from ${from} /* every tenant: approvals.tenants */ where 1 = 1${also} union all
    select (select min(tenant) from ${from} where tenant > ${name}.tenant${also}) from ${name} where ${name}.tenant is not null)`
const tenantsSql = `with recursive ${eachTenant('each_of_rules', 'approval_rules', '')},
  ${eachTenant('each_of_rows', 'approvals', ' and identity is not null')}
  select tenant from each_of_rules where tenant is not null union select tenant from each_of_rows where tenant is not null`

/** The keys are ranked in an index, and only what is taken is read with its content. */
const dueSql = `select a.* from (select tenant, id, next_at, row_number() over (partition by tenant order by next_at, id) as place
    from approvals /* every tenant: approvals.due */ where next_at <= ?) ranked
  join approvals a on a.tenant = ranked.tenant and a.id = ranked.id
  where ranked.place <= ? order by ranked.next_at, ranked.tenant, ranked.id limit ?`

const everything: Statement = { sql: '', params: [] }
/** Written into the statement, so that the index of open rows can be used. */
const openOnly: Statement = { sql: ` and state = 'open'`, params: [] }
const isOpenOnly = (states: ApprovalState[] | undefined) => states?.length === 1 && states[0] === 'open'

export const approvalsIn = (db: Db): Store['approvals'] => {
  const find = async (sql: string, params: string[]) =>
    (await db.read(`select * from approvals where ${sql}`, params)).map(fromRow)[0]
  return {
    add: async (approval, max, notices) => {
      const { tenant, id, identity, createdAt } = approval
      const insert = { sql: insertApproval, params: [...approvals.params(toRow(approval)), tenant, createdAt, max] }
      const present = { sql: 'select id from approvals where tenant = ? and identity = ?', params: [tenant, identity] }
      const isAdded = {
        sql: 'exists (select 1 from approvals a where a.tenant = ? and a.id = ?)',
        params: [tenant, id],
      }
      const results = await db.write([insert, present, ...insertNotices(notices, isAdded)], { admits: true })
      if (wrote(results)) return 'added'
      return results[1]!.rows.length > 0 ? 'present' : 'full'
    },
    get: async (tenant, id) => find('tenant = ? and id = ?', [tenant, id]),
    byIdentity: async (tenant, identity) => find('tenant = ? and identity = ?', [tenant, identity]),
    list: async (tenant, page, { states, person, token } = {}) => {
      if (states?.length === 0) return { items: [] }
      const after = readCursor(page.cursor)
      const isIndexed = person === undefined && isOpenOnly(states)
      const rows = await newest(db, {
        table: 'approvals',
        columns: listedColumns,
        keys: ['created_at', 'id'],
        within: joined(
          { sql: 'tenant = ?', params: [tenant] },
          alsoWhere({ person }),
          isIndexed ? openOnly : everything,
        ),
        filter: joined(alsoWhere({ token }), isIndexed ? everything : alsoIn('state', states)),
        after: after && [after.at, after.id],
        rows: page.limit + 1,
      })
      return listed(rows.map(fromRow), page, ({ createdAt, id }) => ({ at: createdAt, id }))
    },
    change: async ({ tenant, id, revision }, { by, ...changes }, notices) => {
      const { sql, params } = approvals.assign(by === undefined ? changes : { ...changes, deciders: by })
      const change = `update approvals set ${sql === '' ? '' : `${sql}, `}revision = revision + 1
        where tenant = ? and id = ? and revision = ?`
      // These statements run before the change: after it, its revision could be that of another one.
      const news = insertNotices(notices, {
        sql: 'exists (select 1 from approvals a where a.tenant = ? and a.id = ? and a.revision = ?)',
        params: [tenant, id, revision],
      })
      const results = await db.write([...news, { sql: change, params: [...params, tenant, id, revision] }])
      return wrote(results.slice(news.length))
    },
    due: async (now, limit, ofTenant) => (await db.read(dueSql, [now, ofTenant, limit])).map(fromRow),
    tenants: async () => (await db.read(tenantsSql, [])).map((row) => String(row['tenant'])),
  }
}
