import { inputJsonSchema, outputJsonSchema } from '#kit'
import type { ConnectionType, Cost, Effect, ExampleCase, ExampleFile, FieldSpec, Integration, Json, JsonSchema, Step, Trigger, TriggerExampleCase, TriggerExampleFile, WireProfile } from '#kit'
import type { Loaded, LoadedStep } from './registry.ts'

/** Version of the manifest's own shape; see manifests/manifest.schema.json. */
export const schemaVersion = '1.0'

export type FieldManifest = { options?: true; dependsOn?: string[]; accepts?: 'id-or-url'; scope?: true }
export type StepManifest = {
  id: string
  title: string
  group: string
  purpose: string
  tool: string
  effect: Effect | 'by-method'
  cost: Cost | null
  legacy: { use: string } | null
  ready: boolean
  /** Settings the operator has yet to give. */
  needs: string[]
  input: JsonSchema
  /** The same plus fields that only narrow dropdowns, in form order. */
  form: JsonSchema
  output: JsonSchema
  fields: Record<string, FieldManifest>
  examples: { title: string; input: unknown; output?: unknown; failure?: unknown }[]
}
export type ConnectionManifest = {
  id: string
  title: string
  purpose: string
  recommended: boolean
  help: string | null
  /** What the connect page does: asks for the secrets, shows the authorize address and takes the token, or sends the browser to log in. */
  flow: 'secrets' | 'token-page' | 'oauth-1.0a' | 'oauth-2.0'
  /** Authorize address of the token page: path and query templates. */
  authorize: { path: string; params: Record<string, string> } | null
  secrets: JsonSchema
  testable: boolean
}
export type TriggerManifest = {
  id: string
  title: string
  purpose: string
  /** Told by the provider at once; false: found by looking at intervals. */
  instant: boolean
  delivery: ('webhook' | 'poll')[]
  /** How much of what happens while we are down can be found again; with polling delivery, how much is seen at all. */
  recoverable: Trigger['recoverable']
  /** Types of events that only webhooks tell. */
  webhookOnly: string[]
  caveat: string | null
  config: JsonSchema
  data: JsonSchema
  fields: Record<string, FieldManifest>
  /** `data`: what the agent gets as `event`; null where nothing starts. */
  examples: { title: string; config: unknown; data: Json }[]
}
/** Examples of steps and of triggers, as their files hold them. */
export type ExampleFiles = (ExampleFile | TriggerExampleFile)[]
export type Manifest = {
  $schema: string
  schemaVersion: string
  id: string
  title: string
  summary: string
  version: string
  maturity: string
  icon: { light: string; dark: string }
  ready: boolean
  connections: ConnectionManifest[]
  steps: StepManifest[]
  triggers: TriggerManifest[]
  apiCall: Integration['apiCall']
  wire: { profile: string; assumed: Record<string, string>; unset: string[] }
}

const fieldManifest = ({ options, dependsOn, accepts, scope }: FieldSpec): FieldManifest => ({
  ...(options ? { options: true as const } : {}),
  ...(dependsOn ? { dependsOn } : {}),
  ...(accepts ? { accepts } : {}),
  ...(scope ? { scope } : {}),
})

const showCase = ({ title, input, output, failure }: ExampleCase) => ({ title, input, ...(failure ? { failure } : { output }) })

export const scopeFields = (step: Step) => Object.entries(step.fields ?? {}).flatMap(([name, spec]) => (spec.scope ? [name] : []))

/** Input schema as tools see it. Made on demand: a step run never needs it. */
export const toolInput = ({ step }: LoadedStep) => inputJsonSchema(step.input, scopeFields(step))

export const stepManifest = (found: LoadedStep, examples: ExampleFiles): StepManifest => {
  const { step } = found
  return {
    id: step.id,
    title: step.title,
    group: step.group ?? 'Steps',
    purpose: step.purpose,
    tool: found.tool,
    effect: typeof step.effect === 'function' ? 'by-method' : step.effect,
    cost: typeof step.cost === 'function' ? null : (step.cost ?? null),
    legacy: step.legacy ?? null,
    ready: found.needs.length === 0,
    needs: found.needs,
    input: toolInput(found),
    form: inputJsonSchema(step.input),
    output: outputJsonSchema(step.output),
    fields: Object.fromEntries(Object.entries(step.fields ?? {}).map(([name, spec]) => [name, fieldManifest(spec)])),
    examples: examples.flatMap((file) => ('step' in file && file.step === step.id ? file.cases.map(showCase) : [])),
  }
}

const showTriggerCase = ({ title, config, data, found }: TriggerExampleCase) => ({ title, config, data: data ?? found?.[0]?.data ?? null })

/** Ways it can be delivered: without a scan of its own it can still be polled where a history tells it. */
export const deliveriesOf = ({ webhook, poll, recoverable }: Trigger): TriggerManifest['delivery'] => [
  ...(webhook ? (['webhook'] as const) : []),
  ...(poll || (webhook && recoverable !== 'none') ? (['poll'] as const) : []),
]

export const triggerManifest = (trigger: Trigger, examples: ExampleFiles): TriggerManifest => ({
  id: trigger.id,
  title: trigger.title,
  purpose: trigger.purpose,
  instant: trigger.webhook !== undefined,
  delivery: deliveriesOf(trigger),
  recoverable: trigger.recoverable,
  webhookOnly: trigger.webhookOnly ?? [],
  caveat: trigger.caveat ?? null,
  config: inputJsonSchema(trigger.config),
  data: outputJsonSchema(trigger.data),
  fields: Object.fromEntries(Object.entries(trigger.fields ?? {}).map(([name, spec]) => [name, fieldManifest(spec)])),
  examples: examples.flatMap((file) => ('trigger' in file && file.trigger === trigger.id ? file.cases.map(showTriggerCase) : [])),
})

/** How an account of this type is connected under the wire profile in force. */
export const flowOf = (type: ConnectionType, wire: WireProfile): ConnectionManifest['flow'] => {
  if (type.id === 'oauth' && wire.oauth) return `oauth-${wire.oauth.version}`
  return type.authorize ? 'token-page' : 'secrets'
}

/** The whole manifest of one integration under the wire profile in force. */
export const buildManifest = (loaded: Loaded, examples: ExampleFiles): Manifest => {
  const { integration, wire, unset } = loaded
  const steps = [...loaded.steps.values()].map((found) => stepManifest(found, examples))
  return {
    $schema: './manifest.schema.json',
    schemaVersion,
    id: integration.id,
    title: integration.title,
    summary: integration.summary,
    version: integration.version,
    maturity: integration.maturity,
    icon: { light: `icons/${integration.id}.svg`, dark: `icons/${integration.id}-dark.svg` },
    ready: steps.every((step) => step.ready),
    connections: integration.connections.map((type) => ({
      id: type.id,
      title: type.title,
      purpose: type.purpose,
      recommended: type.recommended ?? false,
      help: type.help ?? null,
      flow: flowOf(type, wire),
      authorize: type.authorize ?? null,
      secrets: inputJsonSchema(type.secrets),
      testable: type.test !== undefined,
    })),
    steps,
    triggers: (integration.triggers ?? []).map((trigger) => triggerManifest(trigger, examples)),
    apiCall: integration.apiCall,
    wire: { profile: wire.profile, assumed: wire.assumed, unset },
  }
}
