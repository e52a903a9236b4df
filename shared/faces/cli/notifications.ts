import type { NotificationTargetView } from '../../runtime/triggers/index.ts'
import type { Client } from './client.ts'
import { readMs } from './subscriptions.ts'
import { plain } from './table.ts'
import type { Terminal } from './terminal.ts'

type Asked = { tenant: string; json?: boolean }

const say = (terminal: Terminal, one: NotificationTargetView, json: boolean | undefined) => {
  if (json) return terminal.out(`${JSON.stringify(one)}\n`)
  terminal.out(`Notifications of ${one.tenant} go to ${plain(one.url ?? 'the server process')}: ${one.types?.join(', ') ?? 'every type'}.\n`)
  if (one.previousSecretUntil !== null) terminal.out(`Signed with the previous secret too, until ${one.previousSecretUntil}.\n`)
  if (one.secret !== undefined) terminal.out(`Its secret, shown only once: ${one.secret}\n`)
}

const over = async (client: Client, work: () => Promise<void>): Promise<number> => {
  try {
    await work()
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard notifications` */
export const showNotifications = (client: Client, terminal: Terminal, { tenant, json }: Asked) =>
  over(client, async () => say(terminal, await client.operator.notifications(tenant), json))

/** `toolyard notifications set <url>` */
export const setNotifications = (
  client: Client,
  terminal: Terminal,
  { tenant, json, url, type, secret }: Asked & { url: string; type: string[]; secret?: string },
) =>
  over(client, async () =>
    say(
      terminal,
      await client.operator.setNotifications({ tenant, url, ...(type.length > 0 ? { types: type } : {}), ...(secret === undefined ? {} : { secret }) }),
      json,
    ),
  )

/** `toolyard notifications remove` */
export const removeNotifications = (client: Client, terminal: Terminal, { tenant, json }: Asked) =>
  over(client, async () => {
    await client.operator.removeNotifications(tenant)
    terminal.out(json ? `${JSON.stringify({ removed: tenant })}\n` : `Notifications of ${tenant} are no longer sent.\n`)
  })

/** `toolyard notifications rotate-secret` */
export const rotateNotificationSecret = (client: Client, terminal: Terminal, { tenant, json, overlap }: Asked & { overlap?: string }) =>
  over(client, async () =>
    say(terminal, await client.operator.rotateNotificationSecret({ tenant, ...(overlap === undefined ? {} : { overlapMs: readMs(overlap) }) }), json),
  )
