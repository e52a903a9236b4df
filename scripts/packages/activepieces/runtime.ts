/**
 * Code that every generated piece shares; it is bundled with the client into each piece's `src/toolyard.js`. The
 * context types are those of the pieces framework.
 */
import { createClient } from '../client/client.ts'
import type { Client, FormOf, Start, Values } from '../client/client.ts'
import { ToolyardError } from '../client/failure.ts'
import { sendByFetch } from '../client/fetch.ts'
import { isSigned } from '../client/signature.ts'
import { choicesOf, inputOf, isEmpty, noFile } from '../input.ts'
import type { Conversions } from '../input.ts'

type Account = { address: string; token: string }
type Connected = { props: Account }
type Store = {
  put(key: string, value: unknown): Promise<unknown>
  get(key: string): Promise<unknown>
  delete(key: string): Promise<void>
}
type ActionContext = { auth: Connected; propsValue: Values }
type TriggerContext = ActionContext & {
  store: Store
  webhookUrl: string
  payload: { body?: unknown; rawBody?: unknown; headers?: Record<string, unknown> }
}
type Dropdown = { disabled: boolean; options: { label: string; value: unknown }[]; placeholder?: string }
type ApFile = { filename: string; data: Uint8Array; extension?: string }
type PropertyValues = Values & { auth?: Connected; connection?: unknown }

const clientOf = ({ address, token }: Account): Client => createClient({ url: address, token, send: sendByFetch })

const described = (thrown: unknown): string =>
  thrown instanceof ToolyardError
    ? `${thrown.code}: ${thrown.sentence} ${thrown.remedy}`
    : thrown instanceof Error
      ? thrown.message
      : String(thrown)

/** Flows show only an error's message, so it has to contain everything. */
const explainFailures = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((thrown: unknown) => {
    throw new Error(described(thrown), { cause: thrown })
  })

export const validate = async ({
  auth,
}: {
  auth: Account
}): Promise<{ valid: true } | { valid: false; error: string }> => {
  try {
    await clientOf(auth).check()
    return { valid: true }
  } catch (thrown) {
    return { valid: false, error: described(thrown) }
  }
}

const closed = (placeholder: string): Dropdown => ({ disabled: true, options: [], placeholder })

/** The flow builder does not show by itself why a dropdown is empty, so its placeholder does. */
const dropdown = async (
  auth: Connected | undefined,
  load: (client: Client) => Promise<Dropdown['options']>,
): Promise<Dropdown> => {
  if (!auth) return closed('Connect to your toolyard server first.')
  try {
    return { disabled: false, options: await load(clientOf(auth.props)) }
  } catch (thrown) {
    return closed(described(thrown))
  }
}

export const connections =
  (integration: string) =>
  ({ auth }: PropertyValues) =>
    dropdown(auth, async (client) =>
      (await client.connections(integration)).map(({ id, name, state }) => ({
        value: id,
        label: state === 'connected' ? name : `${name} (${state})`,
      })),
    )

const chosen = (connection: unknown) => (isEmpty(connection) ? undefined : String(connection))
const filled = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)))

/** `needs`: titles of the fields that must be filled first, by field name. */
export const choices =
  (form: FormOf, field: string, needs: Record<string, string> = {}) =>
  async (
    { auth, connection, ...values }: PropertyValues,
    { searchValue }: { searchValue?: string } = {},
  ): Promise<Dropdown> => {
    const missing = Object.keys(needs).filter((name) => isEmpty(values[name]))
    if (missing.length > 0) return closed(`Choose ${missing.map((name) => needs[name]).join(' and ')} first.`)
    const query = searchValue || undefined
    return dropdown(auth, async (client) =>
      (await choicesOf(client, form, { field, connection: chosen(connection), values: filled(values), query })).map(
        ({ value, label, hint }) => ({
          value,
          label: hint === undefined ? label : `${label} (${hint})`,
        }),
      ),
    )
  }

type AccountField = {
  name: string
  title: string
  description?: string
  control: string
  choices?: string[]
  labels?: Record<string, string>
}
type PropertyOptions = { displayName: string; description: string | undefined; required: false }
type Dropdowns = { options: { options: Dropdown['options'] } }
/** Of the framework's own object, what makes a property of the type `P`. */
type Properties<P> = {
  ShortText(propertyOptions: PropertyOptions): P
  Number(propertyOptions: PropertyOptions): P
  DateTime(propertyOptions: PropertyOptions): P
  StaticDropdown(propertyOptions: PropertyOptions & Dropdowns): P
}

/** Fields that the account defines. */
export const accountFields =
  <P>(integration: string, step: string, Property: Properties<P>) =>
  async ({ auth, connection, ...values }: PropertyValues): Promise<Record<string, P>> => {
    if (!auth || Object.values(values).some(isEmpty)) return {}
    const { layout } = await explainFailures(
      clientOf(auth.props).fields(integration, step, { connection: chosen(connection), values: filled(values) }),
    )
    const propertyOf = ({ title, description, control, choices: listed, labels }: AccountField) => {
      const propertyOptions = { displayName: title, description, required: false as const }
      const pick = (options: Dropdown['options']) =>
        Property.StaticDropdown({ ...propertyOptions, options: { options } })
      if (control === 'number') return Property.Number(propertyOptions)
      if (control === 'date-time') return Property.DateTime(propertyOptions)
      if (control === 'switch') return pick(yesOrNo)
      if (listed) return pick(listed.map((value) => ({ value, label: labels?.[value] ?? value })))
      return Property.ShortText(propertyOptions)
    }
    return Object.fromEntries((layout.fields as AccountField[]).map((field) => [field.name, propertyOf(field)]))
  }

/** An untouched checkbox sends "no", which would change things; so switches are dropdowns. */
export const yesOrNo = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
]

const uploadBy = (client: Client) => async (value: unknown) => {
  const { data, filename } = value as Partial<ApFile>
  if (!(data instanceof Uint8Array) || filename === undefined) throw new Error(noFile)
  const { id } = await client.files.upload({ bytes: data, name: filename, type: 'application/octet-stream' })
  return { file: id }
}

export const run =
  (integration: string, step: string, fields: Conversions) =>
  ({ auth, propsValue: { connection, ...values } }: ActionContext): Promise<unknown> => {
    const client = clientOf(auth.props)
    const call = async () =>
      (
        await client.run(integration, step, {
          input: await inputOf(values, fields, uploadBy(client)),
          connection: chosen(connection),
        })
      ).output
    return explainFailures(call())
  }

/**
 * The keys of starts that already ran are stored in slots by their first characters, so that two concurrent starts
 * rarely write the same slot.
 */
const slotOf = (key: string) => `starts-${key.slice(0, 2)}`
const keysPerSlot = 100

type StoredSubscription = { id: string; secret: string }
const subscriptionKey = 'subscription'

/**
 * The bytes that were signed. Some releases pass only the parsed body; serialized as JSON again, it equals what was
 * sent.
 */
const signedBody = ({ rawBody, body }: TriggerContext['payload']): string | Uint8Array => {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return rawBody
  const bytes =
    (rawBody as { type?: unknown; data?: number[] } | undefined)?.type === 'Buffer'
      ? (rawBody as { data: number[] }).data
      : undefined
  return bytes ? Uint8Array.from(bytes) : typeof body === 'string' ? body : JSON.stringify(body)
}

export const trigger = (
  integration: string,
  id: string,
  { config, options }: { config: Conversions; options: Conversions },
) => {
  const noFiles = () => Promise.reject(new Error('Triggers take no files.'))
  const subscribe = async ({ auth, propsValue, webhookUrl }: TriggerContext, more: Values = {}) => {
    const subscriptionInput = {
      config: await inputOf(propsValue, config, noFiles),
      options: { ...(await inputOf(propsValue, options, noFiles)), ...more },
    }
    return clientOf(auth.props).subscriptions.create({
      integration,
      trigger: id,
      connection: chosen(propsValue['connection']),
      url: webhookUrl,
      ...subscriptionInput,
    })
  }
  const unsubscribe = async ({ auth, store }: TriggerContext) => {
    const held = (await store.get(subscriptionKey)) as StoredSubscription | null
    if (held) await clientOf(auth.props).subscriptions.remove(held.id)
    await store.delete(subscriptionKey)
  }
  return {
    onEnable: (context: TriggerContext) =>
      explainFailures(
        (async () => {
          await unsubscribe(context)
          const { id: made, agent } = await subscribe(context)
          await context.store.put(subscriptionKey, { id: made, secret: agent.secret! } satisfies StoredSubscription)
        })(),
      ),
    onDisable: (context: TriggerContext) => explainFailures(unsubscribe(context)),
    /** Returns nothing for a request that the server did not sign, and for a start that already ran. */
    run: async ({ store, payload }: TriggerContext): Promise<Start['data'][]> => {
      const held = (await store.get(subscriptionKey)) as StoredSubscription | null
      const body = signedBody(payload)
      if (!held?.secret || !isSigned({ secret: held.secret, headers: payload.headers ?? {}, body, now: Date.now() }))
        return []
      const { type, data } = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8')) as Start
      if (type === 'agent.test') return []
      const slot = slotOf(data.start)
      const knownStarts = ((await store.get(slot)) as string[] | null) ?? []
      if (knownStarts.includes(data.start)) return []
      await store.put(slot, [...knownStarts, data.start].slice(-keysPerSlot))
      // The platform itself drops a second entry with the same key within half a minute, even one that runs
      // concurrently.
      return [{ ...data, _dedupe_key: data.start }]
    },
    /** Returns the newest matching event, otherwise the example. Needs a subscription, which is removed afterwards. */
    test: (context: TriggerContext): Promise<Start['data'][]> =>
      explainFailures(
        (async () => {
          const { subscriptions } = clientOf(context.auth.props)
          const { id: made } = await subscribe({
            ...context,
            propsValue: { ...context.propsValue, startFrom: undefined },
          })
          try {
            return [(await subscriptions.sample(made)).start.data]
          } finally {
            await subscriptions.remove(made)
          }
        })(),
      ),
  }
}
