import { failField } from '#kit'
import type { Answer, Input } from '../operations.ts'
import { command } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readText } from '../input.ts'
import { printPairs, shortTime } from '../table.ts'

type App = Answer<'connections.getApp'>
type NewApp = Omit<Input<'connections.putApp'>, 'integration'>

const secretsOf = ({ secrets = {} }: App) =>
  Object.entries(secrets)
    .map(([name, hint]) => `${name} ${hint}`)
    .join(', ')

const audienceOf = ({ owner }: App) =>
  owner === 'operator' ? 'every tenant without an app of its own' : 'this tenant only'

/** What an integration needs its app for, as its manifest says; undefined if it connects accounts without one. */
const needOf = async ({ call }: Context, integration: string) =>
  (await call('catalogue.getIntegration', { id: integration })).connections.find(({ app }) => app !== null)?.app?.help

const adviceOn = ({ deliveriesTo }: App) => {
  if (deliveriesTo === undefined) return undefined
  return deliveriesTo === null
    ? 'The server has no public address yet, so there is none to enter at the provider. Set TOOLYARD_PUBLIC_URL and show the app again.'
    : 'Enter this address at the provider, once, as the webhook address of the app. It stays the same.'
}

const show = ({ say, terminal }: Context, app: App) =>
  say(app, () => {
    printPairs(terminal, 15, {
      app: `${app.key} of ${app.integration}`,
      ...(app.clientId == null ? {} : { 'client id': app.clientId }),
      secrets: secretsOf(app) || 'none stored',
      'set for': audienceOf(app),
      ...(app.deliveriesTo === undefined ? {} : { 'deliveries to': app.deliveriesTo ?? 'no address yet' }),
      changed: shortTime(app.updatedAt ?? null),
    })
    const advice = adviceOn(app)
    if (advice !== undefined) terminal.out(`${advice}\n`)
  })

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    // The message of JSON.parse quotes the text, which contains secrets.
    return undefined
  }
}

/** Key and secrets from a file or from standard input, never from the command line, which other programs can read. */
const readApp = async (file: string, readStdin: Context['terminal']['readStdin']): Promise<NewApp> => {
  if (file.trimStart().startsWith('{'))
    throw failField(
      'file',
      'Give the name of a JSON file, or "-" for standard input: other programs can read a command line.',
    )
  const { text, from } = await readText(file === '-' ? file : `@${file}`, readStdin, 'file')
  const fields = parseObject(text)
  if (fields === undefined) throw failField('file', `${from} is not a JSON object such as {"key":"…","secret":"…"}.`)
  // The server checks the fields, and its failure names them.
  return fields as NewApp
}

export const appCommands = [
  command(
    {
      usage: 'apps',
      about: 'list the apps registered at providers, with the address for deliveries where there is one',
    },
    async (context) => {
      const { call, list, typed } = context
      const { items } = await call('catalogue.listIntegrations')
      const apps = await Promise.all(
        items.map(async ({ id }) => {
          const app = await call('connections.getApp', { integration: id })
          return { app, isShown: app.key !== null || (await needOf(context, id)) !== undefined }
        }),
      )
      const shownApps = apps.flatMap(({ app, isShown }) => (isShown ? [app] : []))
      const emptyText = `No app is set, and no installed integration needs one to connect accounts. Set one with: ${typed('apps set <integration> <file>')}`
      list({ items: shownApps }, emptyText, (app) => ({
        integration: app.integration,
        key: app.key ?? 'not set',
        secrets: secretsOf(app),
        'set for': app.key === null ? '' : audienceOf(app),
        'deliveries to': app.deliveriesTo ?? '',
      }))
    },
  ),
  command(
    {
      usage: 'apps show <integration>',
      about: 'show one, with the last characters of its secrets and where to enter its address for deliveries',
    },
    async (context, { integration }) => {
      const app = await context.call('connections.getApp', { integration })
      if (app.key !== null) return show(context, app)
      const need = await needOf(context, integration)
      const set = `Set it with: ${context.typed(`apps set ${integration} <file>`)}`
      context.say(app, [`No app of ${integration} is set.`, ...(need === undefined ? [] : [need]), set].join('\n'))
    },
  ),
  command(
    {
      usage: 'apps set <integration> <file>',
      about: 'set key and secrets; the previous secret still verifies deliveries unless "keepPrevious" is false',
      arguments: { file: 'JSON file with the fields of PUT /v1/apps, or "-" for standard input' },
      help: ({ typed }) =>
        `\nExample:\n  ${typed('apps set <integration> app.json')}\nwhere app.json has {"key":"…","secret":"…"}, for OAuth 2.0 also "clientId" and "clientSecret";\n"owner":"operator" sets it for every tenant without an app of its own.`,
    },
    async (context, { integration, file }) => {
      const fields = await readApp(file, context.terminal.readStdin)
      show(context, await context.call('connections.putApp', { ...fields, integration }))
    },
  ),
]
