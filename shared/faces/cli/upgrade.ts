import { isFailure, isNotAllowed } from '#kit'
import type { Manifest } from '../../runtime/catalogue/manifest.ts'
import type { SubscriptionView } from '../../runtime/triggers/index.ts'
import type { Client } from './client.ts'
import { shortTime } from './subscriptions.ts'
import { table } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Asked = { check?: boolean; json?: boolean; tenant: string }

/** Who uses something that is deprecated or legacy: a subscription, a token bound to it, or runs, such as those of a platform's workflow. */
type Use = { what: string; use: string; since: string | null; by: 'subscription' | 'token' | 'runs'; id: string; detail: string }

const days = 30
const pageOf = 200

/** Ids of what is deprecated or legacy, as `integration/id`. */
const replacedIn = (manifests: Manifest[], part: 'steps' | 'triggers') =>
  new Map(
    manifests.flatMap((manifest) =>
      manifest[part].flatMap((one): [string, { use: string; since: string | null }][] => {
        const by = one.deprecated ?? ('legacy' in one ? one.legacy : null)
        return by ? [[`${manifest.id}/${one.id}`, { use: by.use, since: 'since' in by ? (by.since as string) : null }]] : []
      }),
    ),
  )

const everySubscription = async (client: Client): Promise<SubscriptionView[]> => {
  const all: SubscriptionView[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await client.triggers.subscriptions({ limit: pageOf, cursor }, {})
    all.push(...items)
    cursor = next
  } while (cursor !== undefined)
  return all
}

/** undefined: the token in use may not list them. */
const tokensOf = async (client: Client, tenant: string) => {
  try {
    return await client.operator.tokens(tenant)
  } catch (thrown) {
    if (isNotAllowed(thrown)) return undefined
    throw thrown
  }
}

const usesOf = async (client: Client, tenant: string): Promise<{ uses: Use[]; tokensListed: boolean }> => {
  const manifests = await Promise.all((await client.integrations()).map(({ id }) => client.manifest(id)))
  const [steps, triggers] = [replacedIn(manifests, 'steps'), replacedIn(manifests, 'triggers')]
  const uses: Use[] = []
  const add = (what: string, of: typeof steps, by: Use['by'], id: string, detail: string) => {
    const found = of.get(what)
    if (found) uses.push({ what, ...found, by, id, detail })
  }
  for (const { id, integration, trigger, externalId, state } of await everySubscription(client))
    add(`${integration}/${trigger}`, triggers, 'subscription', id, externalId ?? state)
  const tokens = await tokensOf(client, tenant)
  for (const { id, name, steps: bound, revokedAt } of tokens ?? []) if (revokedAt === null) for (const step of bound ?? []) add(step, steps, 'token', id, name)
  const ran = new Map<string, { runs: number; connections: Set<string>; day: string }>()
  for (const { integration, step, connection, runs, day } of (await client.records.usage(days)).items) {
    const one = ran.get(`${integration}/${step}`) ?? { runs: 0, connections: new Set(), day }
    one.runs += runs
    if (connection !== null) one.connections.add(connection)
    if (day > one.day) one.day = day
    ran.set(`${integration}/${step}`, one)
  }
  for (const [what, { runs, connections, day }] of ran)
    add(what, steps, 'runs', [...connections].join(' ') || '-', `${runs} in ${days} days, the last on ${shortTime(day).slice(0, 10)}`)
  return { uses, tokensListed: tokens !== undefined }
}

/** `toolyard upgrade [--check]`: who uses what is deprecated; without `--check`, subscriptions are moved to the triggers that replace theirs. */
export const upgrade = async (client: Client, terminal: Terminal, { check = false, json, tenant }: Asked): Promise<number> => {
  try {
    const { uses, tokensListed } = await usesOf(client, tenant)
    const moved: { id: string; trigger: string }[] = []
    const failed: { id: string; code: string; message: string }[] = []
    for (const { id } of check ? [] : uses.filter(({ by }) => by === 'subscription')) {
      try {
        moved.push({ id, trigger: (await client.triggers.upgrade(id)).trigger })
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        failed.push({ id, code: thrown.code, message: thrown.message })
      }
    }
    if (json) terminal.out(`${JSON.stringify({ uses, tokensListed, ...(check ? {} : { moved, failed }) })}\n`)
    else {
      const rows = uses.map(({ what, use, by, id, detail }) => [what, use, by, id, detail])
      terminal.out(
        rows.length === 0 ? 'Nothing deprecated is in use.\n' : `${table(['deprecated', 'use instead', 'used by', 'id', 'detail'], rows, terminal.width)}\n`,
      )
      for (const { id, trigger } of moved) terminal.out(`${id} now uses ${trigger}.\n`)
      for (const { id, message } of failed) terminal.err(`${id}: ${message}\n`)
      if (!tokensListed) terminal.out('Tokens are not listed: that needs a token with the scope "admin".\n')
      const left = uses.some(({ by }) => by !== 'subscription')
      if (check && uses.some(({ by }) => by === 'subscription')) terminal.out(`Move the subscriptions with "${typed(terminal, 'upgrade')}".\n`)
      if (left) terminal.out('Tokens and workflows cannot be moved from here: bind tokens to the other step, and call it in the workflows.\n')
    }
    return failed.length > 0 ? 1 : 0
  } finally {
    await client.close()
  }
}
