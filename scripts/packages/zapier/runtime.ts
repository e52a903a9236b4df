/**
 * Code that the generated Zapier app uses; it is bundled with the client into the app's `toolyard.js`. `z` and `bundle`
 * are the objects of Zapier's platform.
 */
import { createClient } from '../client/client.ts'
import type { Client, FormOf, Send, Start, Values } from '../client/client.ts'
import { ToolyardError } from '../client/failure.ts'
import { isSigned } from '../client/signature.ts'
import { choicesOf, inputOf, isEmpty, noFile } from '../input.ts'
import type { Conversions } from '../input.ts'

type Reply = { status: number; headers: Iterable<[string, string]>; content: string }
type RawReply = { status: number; headers: { get(name: string): string | null }; buffer(): Promise<Uint8Array> }
type Failing = new (message: string, second?: unknown, third?: unknown) => Error
type Z = {
  request(request: Values & { raw: true }): Promise<RawReply>
  request(request: Values): Promise<Reply>
  errors: Record<'Error' | 'ExpiredAuthError' | 'ThrottledError', Failing>
  cache: {
    get(key: string): Promise<unknown>
    set(key: string, value: unknown, seconds?: number, scope?: string[], onlyNew?: boolean): Promise<unknown>
  }
}
type Bundle = {
  authData: { address: string; token: string }
  inputData: Values
  targetUrl?: string
  subscribeData?: { id: string; secret: string }
  rawRequest?: { headers?: Record<string, string>; content?: string }
}
type InputField = Values & { key: string }

const sendBy =
  (z: Z): Send =>
  async ({ method, url, headers, body }) => {
    const request = { method, url, headers, skipThrowForStatus: true, redirect: 'manual' }
    const reply = await z.request(
      body === undefined ? request : { ...request, body: typeof body === 'string' ? body : Buffer.from(body) },
    )
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: reply.content }
  }

const clientOf = (z: Z, { authData }: Bundle): Client =>
  createClient({ url: authData.address, token: authData.token, send: sendBy(z) })

/** Turns failures into Zapier's own error classes: only for those does Zapier ask to reconnect or retry later. */
const explainFailures = async <T>(z: Z, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof ToolyardError)) throw thrown
    const { code, sentence, remedy, status, retryAfterMs } = thrown
    const message = `${code}: ${sentence} ${remedy}`
    if (code === 'unauthenticated') throw new z.errors.ExpiredAuthError(message)
    if (code === 'rate_limited') throw new z.errors.ThrottledError(message, Math.ceil((retryAfterMs ?? 60_000) / 1000))
    throw new z.errors.Error(message, code, status)
  }
}

const chosen = (connection: unknown) => (isEmpty(connection) ? undefined : String(connection))
const filled = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))

/** Checks the credentials free of charge: lists the server's integrations. */
export const testAuth = (z: Z, bundle: Bundle): Promise<{ address: string }> =>
  explainFailures(z, async () => {
    await clientOf(z, bundle).check()
    return { address: bundle.authData.address }
  })

const nameOf = (url: string, disposition: string | null): string => {
  const fileName = /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1]
  return fileName ?? decodeURIComponent(new URL(url).pathname.split('/').pop() || 'file')
}

/** Zapier passes a file as a URL from which it serves the content. */
const uploadBy = (z: Z, client: Client) => async (value: unknown) => {
  const url = String(value)
  if (!/^https?:\/\//.test(url)) throw new z.errors.Error(noFile, 'invalid_input')
  const reply = await z.request({ url, raw: true })
  const { id } = await client.files.upload({
    bytes: await reply.buffer(),
    name: nameOf(url, reply.headers.get('content-disposition')),
    type: reply.headers.get('content-type') ?? 'application/octet-stream',
  })
  return { file: id }
}

/** Keys of the account's own fields are prefixed with the name of the field that holds their values. */
const prefixOf = (holder: string) => `${holder}__`
const accountValues = (values: Values, holder: string | undefined): Values => {
  if (holder === undefined) return {}
  const prefix = prefixOf(holder)
  const entries = Object.entries(filled(values)).filter(([key]) => key.startsWith(prefix))
  return entries.length === 0
    ? {}
    : { [holder]: Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value])) }
}

type StepOf = { integration: string; step: string; fields: Conversions; accountFields?: string }

const outputOf = (
  z: Z,
  bundle: Bundle,
  { integration, step, fields, accountFields: holder }: StepOf,
): Promise<Values> =>
  explainFailures(z, async () => {
    const client = clientOf(z, bundle)
    const { connection, ...values } = bundle.inputData
    const input = { ...(await inputOf(values, fields, uploadBy(z, client))), ...accountValues(values, holder) }
    const { output } = await client.run(integration, step, { input, connection: chosen(connection) })
    return output as Values
  })

export const create = (step: StepOf) => (z: Z, bundle: Bundle) => outputOf(z, bundle, step)

/** When nothing matched, returns an empty list, as Zapier expects of a search. */
export const search = (step: StepOf) => async (z: Z, bundle: Bundle) => {
  const output = await outputOf(z, bundle, step)
  return output['matched'] === false ? [] : [output]
}

export const connections = (integration: string) => (z: Z, bundle: Bundle) =>
  explainFailures(z, async () =>
    (await clientOf(z, bundle).connections(integration)).map(({ id, name }) => ({ id, name })),
  )

/**
 * The hidden trigger of a dropdown, which returns its choices. `needs`: titles of the fields that must be filled first,
 * by field name.
 */
export const choices =
  (form: FormOf, field: string, needs: Record<string, string> = {}) =>
  (z: Z, bundle: Bundle) =>
    explainFailures(z, async () => {
      const { connection, ...values } = bundle.inputData
      const missing = Object.keys(needs).filter((name) => isEmpty(values[name]))
      if (missing.length > 0)
        throw new z.errors.Error(
          `invalid_input: Choose ${missing.map((name) => needs[name]).join(' and ')} first.`,
          'invalid_input',
        )
      const options = await choicesOf(clientOf(z, bundle), form, {
        field,
        connection: chosen(connection),
        values: filled(values),
      })
      return options.map(({ value, label, hint }) => ({
        id: value,
        name: hint === undefined ? label : `${label} (${hint})`,
      }))
    })

/** Fields that are shown only while another field has one of the given values. */
export const shownWhen =
  ({ field, is }: { field: string; is?: unknown[] }, fields: InputField[]) =>
  (_z: Z, { inputData }: Bundle): InputField[] => {
    const value = inputData[field]
    return (is === undefined ? !isEmpty(value) : is.map(String).includes(String(value))) ? fields : []
  }

type AccountField = {
  name: string
  title: string
  description?: string
  control: string
  choices?: string[]
  labels?: Record<string, string>
}
const accountTypes: Record<string, string> = { number: 'number', 'date-time': 'datetime', switch: 'boolean' }

/** Fields that the account defines, once the fields they depend on are filled. */
export const accountFields =
  (integration: string, step: string, { field, dependsOn }: { field: string; dependsOn: string[] }) =>
  (z: Z, bundle: Bundle): Promise<InputField[]> =>
    explainFailures(z, async () => {
      const { connection, ...values } = bundle.inputData
      if (dependsOn.some((name) => isEmpty(values[name]))) return []
      const { layout } = await clientOf(z, bundle).fields(integration, step, {
        connection: chosen(connection),
        values: filled(values),
      })
      return (layout.fields as AccountField[]).map(
        ({ name, title, description, control, choices: listed, labels }) => ({
          key: prefixOf(field) + name,
          label: title,
          ...(description ? { helpText: description } : {}),
          ...(listed
            ? { choices: Object.fromEntries(listed.map((value) => [value, labels?.[value] ?? value])) }
            : { type: accountTypes[control] ?? 'string' }),
        }),
      )
    })

/** The header names as they were sent: Zapier puts "Http-" before most of them. */
const sentHeaders = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase().replace(/^http-/, ''), value]))

/** How long keys of starts are remembered, in seconds: longer than deliveries are repeated. */
const keptSeconds = 3 * 24 * 60 * 60
/** The agent's address for the temporary subscription of a sample; no start is sent there. */
const sampleUrl = 'https://hooks.zapier.com/hooks/standard/'

type TriggerOf = { integration: string; trigger: string; config: Conversions; options: Conversions }

export const hook = ({ integration, trigger, config, options }: TriggerOf) => {
  const noFiles = () => Promise.reject(new Error('Triggers take no files.'))
  const subscribe = async (z: Z, bundle: Bundle, url: string) => {
    const values = bundle.inputData
    const subscriptionInput = {
      config: await inputOf(values, config, noFiles),
      options: await inputOf(values, options, noFiles),
    }
    return clientOf(z, bundle).subscriptions.create({
      integration,
      trigger,
      connection: chosen(values['connection']),
      url,
      ...subscriptionInput,
    })
  }
  return {
    type: 'hook' as const,
    performSubscribe: (z: Z, bundle: Bundle) =>
      explainFailures(z, async () => {
        const { id, agent } = await subscribe(z, bundle, bundle.targetUrl!)
        return { id, secret: agent.secret }
      }),
    performUnsubscribe: (z: Z, bundle: Bundle) =>
      explainFailures(z, async () => {
        await clientOf(z, bundle).subscriptions.remove(bundle.subscribeData!.id)
        return { id: bundle.subscribeData!.id }
      }),
    /** Returns nothing for a request that the server did not sign, and for a start that already ran. */
    perform: async (z: Z, { rawRequest, subscribeData }: Bundle): Promise<Start['data'][]> => {
      const body = rawRequest?.content ?? ''
      const headers = sentHeaders(rawRequest?.headers)
      if (!subscribeData?.secret || !isSigned({ secret: subscribeData.secret, headers, body, now: Date.now() }))
        return []
      const { type, data } = JSON.parse(body) as Start
      if (type === 'agent.test') return []
      const key = `start-${data.start}`
      if ((await z.cache.get(key)) !== null) return []
      const isNew = await z.cache.set(key, true, keptSeconds, undefined, true)
      return isNew === false ? [] : [data]
    },
    /** Returns the newest matching event, otherwise the example. Needs a subscription, which is removed afterwards. */
    performList: (z: Z, bundle: Bundle): Promise<Start['data'][]> =>
      explainFailures(z, async () => {
        const { subscriptions } = clientOf(z, bundle)
        const { id } = await subscribe(
          z,
          { ...bundle, inputData: { ...bundle.inputData, startFrom: undefined } },
          sampleUrl,
        )
        try {
          return [(await subscriptions.sample(id)).start.data]
        } finally {
          await subscriptions.remove(id)
        }
      }),
  }
}
