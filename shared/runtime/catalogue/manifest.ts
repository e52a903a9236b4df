import { formJsonSchema, inputJsonSchema, outputJsonSchema } from '#kit'
import type {
  ApiOperation,
  ExampleCase,
  ExampleFile,
  FieldSpec,
  Integration,
  Step,
  Trigger,
  TriggerExampleCase,
  TriggerExampleFile,
} from '#kit'
import { profileNames } from './choose-profile.ts'
import { connectionManifest, scopesUnder } from './connection-manifest.ts'
import { isLocal } from './find-endpoints-step.ts'
import { layoutOf } from './form-layout.ts'
import { fitToProfile, isReady, offerOf, offeredCases, whyNotOffered, whyNotReady } from './offered-fields.ts'
import { triggerNeeds } from './trigger-needs.ts'
import { listOperations } from './operations.ts'
import { shownPrice } from './path-price.ts'
import type { ConnectionField, FieldManifest, Manifest, StepManifest, TriggerManifest } from '../../api/manifest.ts'
import { startFrom, subscriptionOptions } from '../../api/resources/subscription-options.ts'
import { schemaVersion } from '../../api/schema-version.ts'
import { shownCost, statedPrice } from './price.ts'
import type { LoadedIntegration, LoadedStep } from './registry.ts'
import { toolSetsOf } from './tool-sets.ts'
import { whyWebhookOnly } from './why-webhook-only.ts'

export type { Manifest, StepManifest, TriggerManifest }

/** What the manifest says of a deprecation. How a trigger's configuration is migrated is code, and stays out of it. */
const deprecationOf = ({ deprecated }: Pick<Step, 'deprecated'>): StepManifest['deprecated'] =>
  deprecated ? { since: deprecated.since, use: deprecated.use } : null

/** Contents of the example files of steps and triggers. */
export type ExampleFiles = (ExampleFile | TriggerExampleFile)[]
const fieldManifest = ({ options, filters: _, ...spec }: FieldSpec): FieldManifest => ({
  ...(options ? { options: true as const } : {}),
  ...spec,
})

const fieldManifests = (fields: Record<string, FieldSpec> = {}) =>
  Object.fromEntries(Object.entries(fields).map(([name, spec]) => [name, fieldManifest(spec)]))

/** The fields of a step, with what the wire profile in force adds: the provider's choices, and labels for words. */
const offeredFields = (loadedStep: LoadedStep): Record<string, FieldManifest> => {
  const { hidden, values } = offerOf(loadedStep)
  const fields = Object.fromEntries(
    Object.entries(fieldManifests(loadedStep.step.fields)).filter(([name]) => !hidden.has(name)),
  )
  for (const [name, { choices, labels }] of values) {
    if (choices === undefined && labels === undefined) continue
    fields[name] = { ...fields[name], ...(choices ? { options: true as const } : {}), ...(labels ? { labels } : {}) }
  }
  return fields
}

const firstVersion = '1.0'
const pick = <Badge extends string>(badges: { [badge in Badge]: boolean }): Badge[] =>
  (Object.entries(badges) as [Badge, boolean][]).flatMap(([badge, holds]) => (holds ? [badge] : []))

const stepBadges = (found: LoadedStep): StepManifest['badges'] => {
  const { step, needs, loaded } = found
  return pick({
    beta: loaded.integration.maturity === 'beta',
    legacy: step.legacy !== undefined,
    deprecated: step.deprecated !== undefined,
    credits: shownCost(found) !== undefined,
    setup: needs.length > 0,
    advanced: step.id === 'api-call' || step.id === 'find-endpoints',
  })
}

const triggerBadges = (trigger: Trigger, maturity: Integration['maturity']): TriggerManifest['badges'] =>
  pick({
    beta: maturity === 'beta',
    deprecated: trigger.deprecated !== undefined,
    instant: trigger.webhook !== undefined,
    polling: trigger.webhook === undefined,
  })

const connectionField = ({ title, connections }: Integration, required = true): ConnectionField => ({
  name: 'connection',
  title: 'Connection',
  description: `Which ${title} account to use.`,
  control: 'connection',
  required,
  types: connections.map(({ id }) => id),
})

const iconOf = (icon: string | undefined) => (icon === undefined ? null : `icons/steps/${icon}.svg`)

const showCase = ({ title, input, output, failure }: ExampleCase): StepManifest['examples'][number] => ({
  title,
  input,
  ...(failure ? { failure } : { output }),
})

const casesOf = (examples: ExampleFiles, id: string) =>
  examples.flatMap((file) =>
    'step' in file && file.step === id ? file.cases.filter(({ needs }) => needs === undefined) : [],
  )

export const scopeFields = (step: Step) =>
  Object.entries(step.fields ?? {}).flatMap(([name, spec]) => (spec.scope ? [name] : []))

/** The input schema as tools see it. Built on demand: running a step never needs it. */
export const toolInput = (loadedStep: LoadedStep) =>
  fitToProfile(loadedStep, inputJsonSchema(loadedStep.step.input, scopeFields(loadedStep.step)))

export const stepManifest = (loadedStep: LoadedStep, examples: ExampleFiles): StepManifest => {
  const { step } = loadedStep
  const form = fitToProfile(loadedStep, formJsonSchema(step.input))
  const fields = offeredFields(loadedStep)
  const cases = offeredCases(loadedStep, casesOf(examples, step.id)).map(showCase)
  return {
    id: step.id,
    title: step.title,
    group: step.group ?? 'Steps',
    purpose: step.purpose,
    version: step.version ?? firstVersion,
    deprecated: deprecationOf(step),
    badges: stepBadges(loadedStep),
    keywords: step.keywords ?? [],
    icon: iconOf(step.icon),
    oauthScopes: scopesUnder(loadedStep.loaded.wire, step.oauthScopes),
    connection: isLocal(step) ? null : connectionField(loadedStep.loaded.integration),
    tool: loadedStep.tool,
    effect: typeof step.effect === 'function' ? 'by-method' : step.effect,
    cost: shownCost(loadedStep) ?? null,
    price: statedPrice(loadedStep)?.text ?? null,
    lookup: step.lookup ?? null,
    ...(step.listSource ? { listSource: true as const } : {}),
    legacy: step.legacy ?? null,
    ready: loadedStep.needs.length === 0,
    needs: loadedStep.needs,
    notReady: whyNotReady(loadedStep),
    input: toolInput(loadedStep),
    form,
    output: outputJsonSchema(step.output),
    agentFields: step.agentFields ?? null,
    fields,
    accountFields: step.accountFields
      ? { field: step.accountFields.field, dependsOn: step.accountFields.dependsOn }
      : null,
    container: step.container ?? null,
    layout: layoutOf(form, fields, { container: step.container ?? null }),
    sample: cases.find(({ output }) => output !== undefined)?.output ?? null,
    examples: cases,
  }
}

/** How a form shows the options. A polled trigger has no history, so its `startFrom` cannot count events. */
const subscriptionFields = ({
  webhook,
}: Pick<Trigger, 'webhook'>): Record<string, FieldSpec & { options?: never }> => ({
  delivery: { labels: { webhook: 'Instant, by webhook', poll: 'By polling' } },
  startFrom: { placeholder: webhook ? 'recent:25' : '2026-03-31T17:00:00+11:00' },
  settleMs: { unit: 'ms' },
  timeoutMs: { unit: 'ms' },
})

/** The options that one trigger has: no `delivery` if there is only one way, and no `settleMs` without a webhook. */
const optionsOf = (trigger: Pick<Trigger, 'webhook'>, deliveries: string[]) =>
  subscriptionOptions()
    .omit({
      ...(deliveries.length < 2 ? { delivery: true as const } : {}),
      ...(trigger.webhook ? {} : { settleMs: true as const }),
    })
    .extend(trigger.webhook ? {} : { startFrom: startFrom('since a date (RFC 3339).') })

const showTriggerCase = ({ title, config, data, found: pollItems }: TriggerExampleCase) => ({
  title,
  config,
  data: data ?? pollItems?.[0]?.data ?? null,
})

/**
 * How a trigger can be delivered. One without `poll` can still be polled if the provider's history contains its events.
 */
export const deliveriesOf = ({ webhook, poll, recoverable }: Trigger): TriggerManifest['delivery'] => [
  ...(webhook ? (['webhook'] as const) : []),
  ...(poll || (webhook && recoverable !== 'none') ? (['poll'] as const) : []),
]

export const triggerManifest = (
  trigger: Trigger,
  loaded: Pick<LoadedIntegration, 'integration' | 'wire' | 'needsOf'>,
  examples: ExampleFiles,
): TriggerManifest => {
  const { integration, wire } = loaded
  const container = trigger.within?.orDefault ? trigger.within.field : null
  const needs = triggerNeeds(trigger, loaded)
  const config = inputJsonSchema(trigger.config)
  const delivery = deliveriesOf(trigger)
  const fields = fieldManifests(trigger.fields)
  const options = inputJsonSchema(optionsOf(trigger, delivery))
  const cases = examples.flatMap((file) =>
    'trigger' in file && file.trigger === trigger.id ? file.cases.map(showTriggerCase) : [],
  )
  return {
    id: trigger.id,
    title: trigger.title,
    purpose: trigger.purpose,
    version: trigger.version ?? firstVersion,
    deprecated: deprecationOf(trigger),
    badges: triggerBadges(trigger, integration.maturity),
    keywords: trigger.keywords ?? [],
    icon: iconOf(trigger.icon),
    oauthScopes: scopesUnder(wire, trigger.oauthScopes),
    connection: connectionField(integration),
    ready: needs.length === 0,
    needs,
    notReady: whyNotOffered(trigger, loaded, needs),
    instant: trigger.webhook !== undefined,
    delivery,
    recoverable: trigger.recoverable,
    webhookOnly: trigger.webhookOnly ?? [],
    ...whyWebhookOnly(trigger, integration),
    caveat: trigger.caveat ?? null,
    container,
    config,
    options,
    data: outputJsonSchema(trigger.data),
    fields,
    layout: layoutOf(formJsonSchema(trigger.config), fields, { container }),
    optionsLayout: layoutOf(formJsonSchema(optionsOf(trigger, delivery)), subscriptionFields(trigger)),
    sample: cases.find(({ data }) => data !== null)?.data ?? null,
    examples: cases,
  }
}

/**
 * The whole manifest of one integration under the wire profile in force. `operations`: the result of `operationsOf`.
 */
export const buildManifest = (
  loaded: LoadedIntegration,
  examples: ExampleFiles,
  operations: ApiOperation[] = [],
): Manifest => {
  const { integration, wire, unset } = loaded
  const steps = [...loaded.steps.values()].map((loadedStep) => stepManifest(loadedStep, examples))
  return {
    $schema: './manifest.schema.json',
    urn: `urn:toolyard:manifest:${integration.id}:${integration.version}`,
    schemaVersion,
    id: integration.id,
    title: integration.title,
    summary: integration.summary,
    keywords: integration.keywords ?? [],
    version: integration.version,
    maturity: integration.maturity,
    icon: { light: `icons/${integration.id}.svg`, dark: `icons/${integration.id}-dark.svg` },
    ready: isReady(loaded),
    groups: [...new Set(steps.map(({ group }) => group))],
    connections: integration.connections.map((type) => connectionManifest(type, loaded)),
    steps,
    triggers: (integration.triggers ?? []).map((trigger) => triggerManifest(trigger, loaded, examples)),
    toolSets: toolSetsOf(loaded),
    apiCall: {
      ...integration.apiCall,
      operations: listOperations(integration.apiCall, operations, (operation) =>
        shownPrice(loaded, operations, operation),
      ),
    },
    wire: { profile: wire.profile, profiles: profileNames(integration), assumed: wire.assumed, unset },
  }
}
