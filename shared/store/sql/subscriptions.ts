import type { Hook, Store, Subscription } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { insertNotices } from './notifications.ts'
import { alsoIn, alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'

const subscriptions = table<Subscription>('subscriptions', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  trigger: 'plain',
  connection: 'plain',
  config: 'json',
  agent: 'json',
  secrets: 'json',
  previousUntil: 'plain',
  failingSince: 'plain',
  failingReason: 'plain',
  options: 'json',
  delivery: 'plain',
  state: 'plain',
  stateReason: 'plain',
  stateAt: 'plain',
  startMark: 'plain',
  externalId: 'plain',
  person: 'plain',
  watched: 'json',
  labels: 'json',
  createdAt: 'plain',
  updatedAt: 'plain',
  deletedAt: 'plain',
})

const hooks = table<Hook>('hooks', {
  tenant: 'plain',
  id: 'plain',
  integration: 'plain',
  connection: 'plain',
  model: 'plain',
  callbackUrl: 'plain',
  providerId: 'plain',
  state: 'plain',
  stateReason: 'plain',
  stateAt: 'plain',
  failures: 'plain',
  lastDeliveryAt: 'plain',
  suspectSince: 'plain',
  refused: 'plain',
  refusedSince: 'plain',
  refusedAt: 'plain',
  refusedReason: 'plain',
  secrets: 'json',
  types: 'json',
  createdAt: 'plain',
  updatedAt: 'plain',
})

export const subscriptionsIn = (db: Db): Store['subscriptions'] => ({
  add: async (subscription, notices) =>
    void (await db.write([subscriptions.insert(subscription), ...insertNotices(notices)], { admits: true })),
  get: async (tenant, id) =>
    (await db.read('select * from subscriptions where tenant = ? and id = ? and deleted_at is null', [tenant, id])).map(
      subscriptions.fromRow,
    )[0],
  list: async (tenant, page, filter = {}) => {
    const also = alsoWhere({
      integration: filter.integration,
      trigger: filter.trigger,
      connection: filter.connection,
      state: filter.state,
      external_id: filter.externalId,
      person: filter.person,
    })
    const labels = Object.entries(filter.labels ?? {})
    const chunk = labels.length > 0 ? Math.max(page.limit + 1, 200) : page.limit + 1
    const foundSubscriptions: Subscription[] = []
    let after = readCursor(page.cursor)
    // Labels cannot be filtered in SQL, so rows are read until the page is full.
    for (;;) {
      const from = after ? ' and (created_at, id) < (?, ?)' : ''
      const sql = `select * from subscriptions where tenant = ? and deleted_at is null${also.sql}${from} order by created_at desc, id desc limit ?`
      const rows = (await db.read(sql, [tenant, ...also.params, ...(after ? [after.at, after.id] : []), chunk])).map(
        subscriptions.fromRow,
      )
      foundSubscriptions.push(...rows.filter((row) => labels.every(([name, value]) => row.labels[name] === value)))
      const last = rows.at(-1)
      if (!last || rows.length < chunk || foundSubscriptions.length > page.limit) break
      after = { at: last.createdAt, id: last.id }
    }
    return listed(foundSubscriptions.slice(0, page.limit + 1), page, (row) => ({ at: row.createdAt, id: row.id }))
  },
  attachedFor: async (tenant, person, id) => {
    const also = alsoWhere({ id })
    const sql = `select id, connection from subscriptions where tenant = ? and person = ?${also.sql}`
    const rows = await db.read(sql, [tenant, person, ...also.params])
    return rows.map((row) => ({ id: String(row['id']), connection: String(row['connection']) }))
  },
  patch: async (tenant, id, changes, notices) => {
    const { sql, params } = subscriptions.assign(changes)
    if (sql === '')
      return (await db.read('select id from subscriptions where tenant = ? and id = ?', [tenant, id])).length > 0
    const update = {
      sql: `update subscriptions set ${sql} where tenant = ? and id = ?`,
      params: [...params, tenant, id],
    }
    return wrote(await db.write([update, ...insertNotices(notices)]))
  },
  count: async (tenant) =>
    Number(
      (await db.read('select count(*) as n from subscriptions where tenant = ? and deleted_at is null', [tenant]))[0]![
        'n'
      ],
    ),
  all: async () =>
    (
      await db.read(
        'select * from subscriptions /* every tenant: subscriptions.all */ where deleted_at is null order by created_at, id',
        [],
      )
    ).map(subscriptions.fromRow),
  any: async () =>
    (
      await db.read(
        'select 1 as one from subscriptions /* every tenant: subscriptions.any */ where deleted_at is null limit 1',
        [],
      )
    ).length > 0,
})

const live = `state in ('wanted', 'active', 'broken')`

export const hooksIn = (db: Db): Store['hooks'] => ({
  attach: async (hook, subscription) => {
    const model = [hook.tenant, hook.connection, hook.model]
    const [, , present] = await db.write(
      [
        {
          sql: `${hooks.insertSql} on conflict (tenant, connection, model) where ${live} do nothing`,
          params: hooks.params(hook),
        },
        {
          sql: `insert into hook_uses (tenant, hook, subscription)
            select tenant, id, ? from hooks where tenant = ? and connection = ? and model = ? and ${live} on conflict do nothing`,
          params: [subscription, ...model],
        },
        { sql: `select * from hooks where tenant = ? and connection = ? and model = ? and ${live}`, params: model },
      ],
      { admits: true },
    )
    return hooks.fromRow(present!.rows[0]!)
  },
  detach: async (tenant, subscription, at, model) => {
    const only = model === undefined ? '' : ' and model = ?'
    const unused = `tenant = ?${only} and ${live}
      and exists (select 1 from hook_uses u where u.tenant = ? and u.hook = hooks.id and u.subscription = ?)
      and not exists (select 1 from hook_uses u where u.tenant = ? and u.hook = hooks.id and u.subscription <> ?)`
    const unusedParams = [tenant, ...(model === undefined ? [] : [model]), tenant, subscription, tenant, subscription]
    const [ended] = await db.write([
      {
        sql: `update hooks set state = 'deleting', state_at = ?, updated_at = ? where ${unused} returning *`,
        params: [at, at, ...unusedParams],
      },
      {
        sql: `delete from hook_uses where tenant = ? and subscription = ?
          and hook in (select id from hooks where tenant = ?${only})`,
        params: [tenant, subscription, tenant, ...(model === undefined ? [] : [model])],
      },
    ])
    return ended!.rows.map(hooks.fromRow)
  },
  byId: async (id) =>
    (await db.read('select * from hooks /* every tenant: hooks.byId */ where id = ?', [id])).map(hooks.fromRow)[0],
  get: async (tenant, id) =>
    (await db.read('select * from hooks where tenant = ? and id = ?', [tenant, id])).map(hooks.fromRow)[0],
  list: async (tenant, page, filter = {}) => {
    const after = readCursor(page.cursor)
    const { connection, connections, integration, state } = filter
    const also = joined(alsoWhere({ connection, integration, state }), alsoIn('connection', connections))
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const sql = `select * from hooks where tenant = ?${also.sql}${from} order by created_at desc, id desc limit ?`
    const rows = await db.read(sql, [tenant, ...also.params, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(rows.map(hooks.fromRow), page, (row) => ({ at: row.createdAt, id: row.id }))
  },
  subscriptions: async (tenant, hook) =>
    (
      await db.read('select subscription from hook_uses where tenant = ? and hook = ? order by subscription', [
        tenant,
        hook,
      ])
    ).map((row) => String(row['subscription'])),
  patch: async (tenant, id, changes, fence) => {
    const { sql, params } = hooks.assign(changes)
    if (sql === '') return (await db.read('select id from hooks where tenant = ? and id = ?', [tenant, id])).length > 0
    return wrote(
      await db.write(
        [{ sql: `update hooks set ${sql} where tenant = ? and id = ?`, params: [...params, tenant, id] }],
        { fence },
      ),
    )
  },
  all: async () =>
    (
      await db.read(
        `select * from hooks /* every tenant: hooks.all */ where state <> 'deleted' order by created_at, id`,
        [],
      )
    ).map(hooks.fromRow),
})
