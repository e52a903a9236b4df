import type { Pack } from '../../pack.ts'
import { quoted } from './invocation.ts'
import { tokenFile } from './token-file.ts'

/** What a started server prints: what it is, where, and lines to try it with. */

/**
 * Examples for a sandbox: a step without input, lookups for each profile, and a trigger with the request that makes it
 * fire.
 */
type Examples = {
  step: string
  lookups: { profile: string; step: string; input: Record<string, unknown> }[]
  trigger?: { purpose: string; subscribe: string; request: { url: string; body: object } }
}

/** Sets the variables that the lines below it, and other commands, read. */
const exportLine = (address: string, token: string | undefined) =>
  `export TOOLYARD_URL=${address}${token === undefined ? '' : ` TOOLYARD_TOKEN=${token}`}`

/**
 * The console's line in the greeting. A link that signs in is shown only on a terminal: other output may be a log that
 * others read.
 */
export const consoleLine = (address: string, code: string | undefined, self: string) =>
  code === undefined
    ? `${address}/console/ ("${self} console" prints a link that signs you in)`
    : `${address}/console/#code=${code} (signs you in once, within ten minutes)`

const request = (method: string, path: string, curlOptions = '') =>
  `curl -s${method === 'GET' ? '' : ` -X ${method}`} $TOOLYARD_URL/v1/${path} -H "Authorization: Bearer $TOOLYARD_TOKEN"${curlOptions}`

const exampleCall = (step: string | undefined, input: Record<string, unknown> = {}) => {
  if (step === undefined) return request('GET', 'integrations')
  const body = JSON.stringify({ input }).replaceAll("'", `'\\''`)
  return request('POST', `steps/${step}/run`, ` -H 'Content-Type: application/json' -d '${body}'`)
}

/** The lines to try one step with. `token`: undefined if the shell already has TOOLYARD_TOKEN. */
export const exampleLines = (
  address: string,
  token: string | undefined,
  step: string | undefined,
  input?: Record<string, unknown>,
): string[] => [exportLine(address, token), exampleCall(step, input)]

const exampleTrigger = ({ purpose, subscribe, request }: NonNullable<Examples['trigger']>, self: string) => [
  purpose,
  `${self} subscribe ${subscribe} --watch`,
  `curl -s -X POST ${request.url} -d '${JSON.stringify(request.body)}'`,
  '',
]

/** Lines to try a server with, using its sandbox if it has one. */
const formatExamples = (
  examples: Examples | undefined,
  address: string,
  token: string | undefined,
  self: string,
): string[] => [
  'Try:',
  ...exampleLines(address, token, examples?.step),
  '',
  ...(examples?.lookups ?? []).flatMap(({ profile, step, input }) => [
    `Look somebody up, as ${profile} answers:`,
    exampleCall(step, input),
    '',
  ]),
  ...(examples?.trigger ? exampleTrigger(examples.trigger, self) : []),
]

type Place = { title: string; origin: string; integration: string; profile?: string | undefined }

export type Greeting = {
  version: string
  address: string
  /** The configured port, if another program uses it. */
  busyPort: number | undefined
  pack: Pack
  directory: string
  publicUrl: string | undefined
  sandbox: { places: Place[]; examples(): Examples } | undefined
  token: { text: string; from: 'environment' | 'file' }
  /** Other output may be a log that others read, so it gets no token and no link that signs in. */
  isTerminal: boolean
  self: string
}

const caller = { tenant: 'default' }

/** State of the sandbox's connection: it counts as connected only once the provider has accepted its secrets. */
const stateOf = async (pack: Pack, integration: string): Promise<string> => {
  const [connection] = await pack.connections.list(caller, { integration, externalId: 'sandbox' })
  if (connection?.state === 'unverified') return 'key saved; verified by the first match'
  return connection?.state.replaceAll('_', ' ') ?? 'not connected'
}

const placeRow = async (pack: Pack, { title, origin, integration, profile }: Place): Promise<[string, string]> => [
  title,
  `${origin} (${profile === undefined ? '' : `profile ${profile}; `}${await stateOf(pack, integration)})`,
]

const tokenRow = (text: string, file: string, isSaved: boolean, isShown: boolean) => {
  if (!isSaved) return 'the one in TOOLYARD_TOKEN'
  return isShown ? `${text} (saved in ${file})` : `in ${file}`
}

/** What a started server prints: its version and addresses, and then lines to try it with. */
export const greetingOf = async (greeting: Greeting): Promise<string> => {
  const { version, address, busyPort, pack, directory, sandbox, token, isTerminal, self } = greeting
  const isSaved = token.from === 'file'
  const isShown = isSaved && isTerminal
  const file = tokenFile(directory)
  const signIn = isTerminal ? await pack.sessions.createCode(await pack.tokens.authenticate(token.text)) : undefined
  const busy = busyPort === undefined ? '' : ` (port ${busyPort} is in use by another program)`
  const rows: [string, string][] = [
    ['Address', `${address}${busy}`],
    ['Token', tokenRow(token.text, file, isSaved, isShown)],
    ['Console', consoleLine(greeting.publicUrl ?? address, signIn?.code, self)],
    ...(await Promise.all((sandbox?.places ?? []).map((place) => placeRow(pack, place)))),
  ]
  // A token from the environment is never shown.
  const exported = isShown ? token.text : isSaved ? `$(cat ${quoted(file)})` : undefined
  return [
    `toolyard ${version} is running. Ctrl-C stops it.`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`),
    '',
    ...formatExamples(sandbox?.examples(), address, exported, self),
    '',
  ].join('\n')
}

/** The greeting as fields of a log line. Others may read the log, so it has no token and no link that signs in. */
export const servingFields = ({ version, address, busyPort, directory, publicUrl, sandbox, token }: Greeting) => ({
  version,
  address,
  ...(busyPort === undefined ? {} : { busyPort }),
  console: `${publicUrl ?? address}/console/`,
  tokenFrom: token.from === 'file' ? tokenFile(directory) : 'TOOLYARD_TOKEN',
  ...(sandbox === undefined ? {} : { sandbox: sandbox.places.map(({ origin }) => origin).join(' ') }),
})
