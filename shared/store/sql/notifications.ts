import { hash, randomUUID } from 'node:crypto'
import type { NotificationTarget, Notice, Store } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import { table, wrote } from '../table.ts'

const targets = table<NotificationTarget>('notification_targets', {
  tenant: 'plain',
  url: 'plain',
  types: 'json',
  secrets: 'json',
  previousUntil: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
})

/** Notifications are queued among the starts, under this subscription id. */
const queue = 'notifications'

const always: Statement = { sql: '1 = 1', params: [] }
/** `event` identifies a notice, so the second statement can see whether the first one inserted its row. */
const insertSql = (
  condition: string,
) => `insert into starts (tenant, id, subscription, event, integration, trigger, connection, subject, serial, settle_ms, state,
  attempts, due_at, lease_epoch, event_at, via, caused_by_us, depth, late, test, merged_into, replay_of, data, answer, created_at, ended_at)
  select t.tenant, ?, '${queue}', ?, '', ?, ?, null, 0, null, 'pending', 0, ?, 0, ?, 'webhook', 'false', 0, 0, 0, null, null, ?, null, ?, null
  from notification_targets t where t.tenant = ? and (t.types is null or instr(t.types, ?) > 0) and ${condition} on conflict (tenant, id) do nothing`

const insertNotice = (
  { tenant, type, about, windowMs, at, connection, data }: Notice,
  only: Statement,
): Statement[] => {
  const window = Math.floor(at / windowMs)
  const idOf = (n: number) => `ntf_${hash('sha256', JSON.stringify([tenant, type, about, windowMs, n])).slice(0, 32)}`
  const event = randomUUID()
  const params = (n: number, dueAt: number, said: Notice['data']) =>
    [idOf(n), event, type, connection, dueAt, at, JSON.stringify(said), at, tenant, JSON.stringify(type)] as const
  const ends = (window + 1) * windowMs
  return [
    { sql: insertSql(only.sql), params: [...params(window, at, data), ...only.params] },
    {
      sql: insertSql(
        `${only.sql} and exists (select 1 from starts f where f.tenant = ? and f.id = ? and f.event <> ?)`,
      ),
      params: [
        ...params(window + 1, ends, { ...data, since: new Date(at).toISOString() }),
        ...only.params,
        tenant,
        idOf(window),
        event,
      ],
    },
  ]
}

/** Statements to write together with what the notices report; `only`: a condition for them. */
export const insertNotices = (notices: readonly Notice[] = [], only: Statement = always): Statement[] =>
  notices.flatMap((notice) => insertNotice(notice, only))

export const notificationsIn = (db: Db): Store['notifications'] => ({
  get: async (tenant) =>
    (await db.read('select * from notification_targets where tenant = ?', [tenant])).map(targets.fromRow)[0],
  put: async (target) => void (await db.write([targets.upsert(target, ['tenant'])], { admits: true })),
  remove: async (tenant, at) =>
    wrote(
      await db.write([
        { sql: 'delete from notification_targets where tenant = ?', params: [tenant] },
        {
          sql: `update starts set state = 'cancelled', ended_at = ? where tenant = ? and subscription = '${queue}' and state = 'pending'`,
          params: [at, tenant],
        },
      ]),
    ),
  add: async (notices) => void (await db.write(insertNotices(notices))),
})
