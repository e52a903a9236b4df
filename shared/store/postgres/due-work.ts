import type { Cluster } from '../../runtime/ports/index.ts'
import type { Connections } from './connection.ts'

const kinds = {
  dispatch: `starts where state in ('pending', 'leased') and due_at <= (select now_ms())`,
  pending: `events where state = 'pending' and due_at <= (select now_ms())`,
  unclaimed: 'unclaimed_events',
  timers: 'timers where due_at <= (select now_ms())',
}
const text = Object.entries(kinds)
  .map(([kind, rows]) => `select '${kind}' as kind where exists (select 1 from ${rows})`)
  .join(' union all ')

/** Asked every second by every process, so it is one statement, which usually finds no row. */
export const dueWorkIn =
  ({ shared }: Pick<Connections, 'shared'>): Cluster['dueWork'] =>
  async () => {
    const [due] = await shared.send([{ name: 'due work', text, values: [] }])
    return due!.rows.map((row) => row['kind'] as keyof typeof kinds)
  }
