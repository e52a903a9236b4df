import { isFailure, isNotAllowed } from '#kit'
import type { Answer, Item } from '../operations.ts'
import { command, flag, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import { shortTime, table } from '../table.ts'

/**
 * A use of a deprecated or legacy step or trigger: by a subscription, by a token bound to it, or by runs, such as those
 * of a platform's workflow.
 */
type Use = {
  what: string
  use: string
  since: string | null
  by: 'subscription' | 'token' | 'runs'
  id: string
  detail: string
}

const days = 30
const pageOf = 200

/** Deprecated or legacy steps or triggers, by `integration/id`. */
const replacedIn = (manifests: Answer<'catalogue.getIntegration'>[], part: 'steps' | 'triggers') =>
  new Map(
    manifests.flatMap((manifest) =>
      manifest[part].flatMap((entry): [string, { use: string; since: string | null }][] => {
        const by = entry.deprecated ?? ('legacy' in entry ? entry.legacy : null)
        return by
          ? [[`${manifest.id}/${entry.id}`, { use: by.use, since: 'since' in by ? (by.since as string) : null }]]
          : []
      }),
    ),
  )

const everySubscription = async ({ call }: Context) => {
  const subscriptions: Item<'subscriptions.listSubscriptions'>[] = []
  let cursor: string | undefined
  do {
    const { items, next } = await call('subscriptions.listSubscriptions', { limit: pageOf, cursor })
    subscriptions.push(...items)
    cursor = next
  } while (cursor !== undefined)
  return subscriptions
}

/** The tokens of a tenant; undefined if the token in use may not list them. */
const tokensOf = async ({ call }: Context, tenant: string) => {
  try {
    return (await call('admin.listTokens', { limit: pageOf, tenant })).items
  } catch (thrown) {
    if (isNotAllowed(thrown)) return undefined
    throw thrown
  }
}

const usesOf = async (context: Context, tenant: string): Promise<{ uses: Use[]; tokensListed: boolean }> => {
  const { call } = context
  const { items: integrations } = await call('catalogue.listIntegrations')
  const manifests = await Promise.all(integrations.map(({ id }) => call('catalogue.getIntegration', { id })))
  const [steps, triggers] = [replacedIn(manifests, 'steps'), replacedIn(manifests, 'triggers')]
  const uses: Use[] = []
  const add = (what: string, of: typeof steps, by: Use['by'], id: string, detail: string) => {
    const deprecation = of.get(what)
    if (deprecation) uses.push({ what, ...deprecation, by, id, detail })
  }
  for (const { id, integration, trigger, externalId, state } of await everySubscription(context))
    add(`${integration}/${trigger}`, triggers, 'subscription', id, externalId ?? state)
  const tokens = await tokensOf(context, tenant)
  for (const { id, name, steps: bound, revokedAt } of tokens ?? [])
    if (revokedAt === null) for (const step of bound ?? []) add(step, steps, 'token', id, name)
  const ran = new Map<string, { runs: number; connections: Set<string>; day: string }>()
  for (const { integration, step, connection, runs, day } of (await call('runs.getUsage', { days })).items) {
    const usage = ran.get(`${integration}/${step}`) ?? { runs: 0, connections: new Set(), day }
    usage.runs += runs
    if (connection !== null) usage.connections.add(connection)
    if (day > usage.day) usage.day = day
    ran.set(`${integration}/${step}`, usage)
  }
  for (const [what, { runs, connections, day }] of ran)
    add(
      what,
      steps,
      'runs',
      [...connections].join(' ') || '-',
      `${runs} in ${days} days, the last on ${shortTime(day).slice(0, 10)}`,
    )
  return { uses, tokensListed: tokens !== undefined }
}

export const upgradeCommands = [
  command(
    {
      usage: 'upgrade',
      about:
        'move subscriptions from deprecated triggers to those that replace them, and list who else uses what is deprecated',
      options: {
        check: flag('only list: subscriptions, tokens bound to deprecated steps, and runs of the last 30 days'),
        tenant: text('<id>', 'whose tokens to list', 'default'),
      },
    },
    async (context, { check, tenant }) => {
      const { call, say, terminal, typed } = context
      const { uses, tokensListed } = await usesOf(context, tenant)
      const moved: { id: string; trigger: string }[] = []
      const failed: { id: string; code: string; message: string }[] = []
      const ofSubscriptions = uses.filter(({ by }) => by === 'subscription')
      for (const { id } of check ? [] : ofSubscriptions) {
        try {
          moved.push({ id, trigger: (await call('subscriptions.changeSubscription', { id, upgrade: true })).trigger })
        } catch (thrown) {
          if (!isFailure(thrown)) throw thrown
          failed.push({ id, code: thrown.code, message: thrown.message })
        }
      }
      say({ uses, tokensListed, ...(check ? {} : { moved, failed }) }, () => {
        const { out, err, width } = terminal
        const rows = uses.map(({ what, use, by, id, detail }) => [what, use, by, id, detail])
        out(
          rows.length === 0
            ? 'Nothing deprecated is in use.\n'
            : `${table(['deprecated', 'use instead', 'used by', 'id', 'detail'], rows, width)}\n`,
        )
        for (const { id, trigger } of moved) out(`${id} now uses ${trigger}.\n`)
        for (const { id, message } of failed) err(`${id}: ${message}\n`)
        if (!tokensListed) out('Tokens are not listed: that needs a token with the scope "admin".\n')
        if (check && ofSubscriptions.length > 0) out(`Move the subscriptions with "${typed('upgrade')}".\n`)
        if (uses.length > ofSubscriptions.length)
          out(
            'Tokens and workflows cannot be moved from here: bind tokens to the other step, and call it in the workflows.\n',
          )
      })
      return failed.length > 0 ? 1 : 0
    },
  ),
]
