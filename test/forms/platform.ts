import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Field, Host, Layout, Values } from './renderer.ts'

/**
 * A platform outside: it knows the address of a server, a token and manifest.schema.json. Nothing here imports the
 * pack.
 */

type Connection = { name: 'connection'; required: boolean; types: string[] }
type Case = { title: string; input?: Values; output?: unknown; config?: Values; failure?: unknown }
export type StepForm = {
  id: string
  ready: boolean
  notReady: string | null
  connection: Connection | null
  accountFields: { field: string; dependsOn: string[] } | null
  layout: Layout
  examples: Case[]
}
export type TriggerForm = {
  id: string
  connection: Connection
  layout: Layout
  optionsLayout: Layout
  examples: Case[]
}
export type ConnectionForm = {
  id: string
  flow: string
  layout: Layout
  oauthScopes: string[]
  app: { set: string; callback: string | null } | null
}
export type Manifest = { id: string; connections: ConnectionForm[]; steps: StepForm[]; triggers: TriggerForm[] }
export type Reply = { status: number; body: any }

/** Fastify's own validator: not the library that the manifests are written with. */
const Ajv = createRequire(createRequire(import.meta.url).resolve('fastify'))('ajv/dist/2020.js') as new (
  options: object,
) => {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown }
}
const schema = JSON.parse(
  readFileSync(new URL('../../manifests/manifest.schema.json', import.meta.url), 'utf8'),
) as object
const check = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(schema)

/** What is wrong with a manifest, by the schema; empty: nothing. */
export const schemaProblems = (manifest: unknown): unknown[] => (check(manifest) ? [] : (check.errors as unknown[]))

const lax = new Ajv({ strict: false, validateFormats: false })
/** What is wrong with a value, by a schema in a manifest. */
export const valueProblems = (of: object, value: unknown): unknown[] => {
  const fits = lax.compile(of)
  return fits(value) ? [] : (fits.errors as unknown[])
}

export const createPlatform = (origin: string, token: string) => {
  const ask = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<Reply> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
  }

  const cachedOptions = new Map<string, Promise<{ value: string }[]>>()
  /** Choices of a field, asked for once per state of the form. */
  const hostOf = (path: string, connection: string | undefined, example: Values): Host => ({
    example,
    async upload() {
      const { status, body } = await ask('/v1/files', {
        name: 'notes.txt',
        // Also a table, for steps that read rows.
        base64: Buffer.from('name\nAgenda\n').toString('base64'),
      })
      if (status !== 201) throw new Error(`no file was stored: ${status} ${JSON.stringify(body)}`)
      return { file: body.id as string }
    },
    options(field, values) {
      const body = { ...(connection === undefined ? {} : { connection }), field, values }
      const key = `${path} ${JSON.stringify(body)}`
      const pendingOptions =
        cachedOptions.get(key) ??
        ask(`${path}/options`, body).then(({ status, body: replyBody }) => {
          if (status !== 200)
            throw new Error(`${path}: no choices for ${field}: ${status} ${JSON.stringify(replyBody)}`)
          return replyBody.options as { value: string }[]
        })
      cachedOptions.set(key, pendingOptions)
      return pendingOptions
    },
  })
  return { ask, hostOf }
}

/** Fields that a person opens one at a time, beside what the form insists on. */
export const extraFields = ({ fields, oneOf }: Layout): Field[] => {
  const front = new Set(oneOf?.sets.flatMap((set) => set.fields))
  return fields.filter(({ name, required }) => !required && !front.has(name))
}
