import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inputJsonSchema, outputJsonSchema, portabilityProblems } from '#kit'
import type { ExampleFile, FieldSpec, Integration, JsonSchema, TriggerExampleFile } from '#kit'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { scopeFields } from '../../shared/runtime/catalogue/manifest.ts'
import { checkProfile } from '../../shared/runtime/catalogue/profile.ts'
import { ownEventProblems } from './own-events.ts'
import { textProblems } from './texts.ts'
import { openTaskProblems, unusedProblems } from './unused.ts'

/** An integration and the folder that holds it. */
export type Subject = { folder: string; integration: Integration }

export const kebab = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

const namesIn = (folder: string, ending: string) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .sort()
    : []

const allExamples = ({ folder }: Subject) =>
  namesIn(join(folder, 'examples'), '.json').map((name) => ({
    name,
    file: JSON.parse(readFileSync(join(folder, 'examples', `${name}.json`), 'utf8')) as
      | ExampleFile
      | TriggerExampleFile,
  }))

export const exampleFiles = (subject: Subject): { name: string; file: ExampleFile }[] =>
  allExamples(subject).flatMap(({ name, file }) => ('step' in file ? [{ name, file }] : []))
export const triggerExampleFiles = (subject: Subject): { name: string; file: TriggerExampleFile }[] =>
  allExamples(subject).flatMap(({ name, file }) => ('trigger' in file ? [{ name, file }] : []))

const portableRemedy =
  'Every model host takes flat fields of one type, each with a meta({ title, description }) after its constraints.'

const fieldProblems = (
  file: string,
  shape: object,
  what: string,
  fields: { [name: string]: FieldSpec } = {},
): string[] =>
  Object.entries(fields).flatMap(([name, spec]) => [
    ...(name in shape ? [] : [`${file}: fields.${name} is not in the ${what}; remove it or add the ${what} field.`]),
    ...(spec.dependsOn ?? []).flatMap((other) =>
      other in shape
        ? []
        : [
            `${file}: fields.${name}.dependsOn names "${other}", which is not in the ${what}. Name a field of the ${what}.`,
          ],
    ),
  ])

const stepProblems = ({ folder, integration }: Subject): string[] => {
  const problems: string[] = []
  const files = namesIn(join(folder, 'steps'), '.ts')
  const ids = integration.steps.map((step) => step.id)
  for (const name of files)
    if (!ids.includes(name))
      problems.push(`steps/${name}.ts is not in the manifest's steps: import it in manifest.ts and list it.`)
  for (const step of integration.steps) {
    const file = `steps/${step.id}.ts`
    if (!files.includes(step.id))
      problems.push(`${file} does not exist: a step's file is named after its id "${step.id}".`)
    if (kebab(step.title) !== step.id)
      problems.push(`${file}: the id is the kebab-case of the title; "${step.title}" gives "${kebab(step.title)}".`)
    if (!/^[A-Z].{15,}\.$/s.test(step.purpose))
      problems.push(`${file}: "purpose" is one sentence for an agent, with a capital and a full stop.`)
    if (step.legacy && !ids.includes(step.legacy.use))
      problems.push(
        `${file}: legacy.use names "${step.legacy.use}", which is no step here. Name the step that replaces it.`,
      )
    problems.push(...fieldProblems(file, step.input.shape, 'input', step.fields))
    for (const name of step.accountFields ? [step.accountFields.field, ...step.accountFields.dependsOn] : [])
      if (!(name in step.input.shape))
        problems.push(`${file}: accountFields names "${name}", which is not in the input. Name a field of the input.`)
  }
  return problems
}

const undescribed = (schema: JsonSchema): string[] =>
  Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, child]) =>
    typeof child.description === 'string' && child.description.length >= 8 ? [] : [name],
  )

const triggerProblems = ({ folder, integration }: Subject): string[] => {
  const problems: string[] = []
  const files = namesIn(join(folder, 'triggers'), '.ts')
  const triggers = integration.triggers ?? []
  for (const name of files)
    if (!triggers.some(({ id }) => id === name))
      problems.push(`triggers/${name}.ts is not in the manifest's triggers: import it in manifest.ts and list it.`)
  for (const trigger of triggers) {
    const file = `triggers/${trigger.id}.ts`
    if (!files.includes(trigger.id))
      problems.push(`${file} does not exist: a trigger's file is named after its id "${trigger.id}".`)
    if (kebab(trigger.title) !== trigger.id)
      problems.push(
        `${file}: the id is the kebab-case of the title; "${trigger.title}" gives "${kebab(trigger.title)}".`,
      )
    if (!/^[A-Z].{15,}\.$/s.test(trigger.purpose))
      problems.push(`${file}: "purpose" is one sentence for the builder, with a capital and a full stop.`)
    if (!trigger.webhook && !trigger.poll)
      problems.push(`${file}: give webhook, poll or both; without either it never starts anything.`)
    if (trigger.webhook && !integration.webhooks)
      problems.push(`${file}: a trigger by webhook needs "webhooks" in manifest.ts.`)
    const { webhookOnly = [] } = trigger
    const isExplained =
      webhookOnly.length > 0 && webhookOnly.every((type) => integration.webhooks?.whyWebhookOnly?.[type])
    if (trigger.recoverable !== 'all' && !trigger.caveat && !isExplained)
      problems.push(
        `${file}: ${trigger.recoverable === 'none' ? 'none of its events can' : 'some of its events cannot'} be recovered. Say in "caveat" what people may miss, or give the reason in "whyLost" of each kind of event without a history.`,
      )
    for (const type of webhookOnly)
      if (!integration.webhooks?.webhookOnly.includes(type))
        problems.push(
          `${file}: webhookOnly names "${type}", which webhooks.webhookOnly does not. List it in both, or in neither.`,
        )
    problems.push(...fieldProblems(file, trigger.config.shape, 'config', trigger.fields))
    for (const problem of portabilityProblems(inputJsonSchema(trigger.config)))
      problems.push(`${file}: its config ${problem}. ${portableRemedy}`)
    for (const name of undescribed(outputJsonSchema(trigger.data)))
      problems.push(`${file}: data.${name} has no description. Say what it is in its meta({ description }).`)
  }
  return problems
}

/** What replaces a step or trigger is there, and is itself not replaced. */
const replacementProblems = ({ integration }: Subject): string[] =>
  [integration.steps, integration.triggers ?? []].flatMap(
    (all: { id: string; legacy?: { use: string }; deprecated?: { use: string } }[], index) =>
      all.flatMap(({ id, legacy, deprecated }) => {
        const use = (deprecated ?? legacy)?.use
        const other = all.find((candidate) => candidate.id === use)
        if (use === undefined || (other && !other.deprecated && !other.legacy)) return []
        return [
          `${index === 0 ? 'steps' : 'triggers'}/${id}.ts: "use" names "${use}", which is ${other ? 'itself replaced' : 'not there'}. Name one that is there and stays.`,
        ]
      }),
  )

const profileProblems = ({ integration }: Subject): string[] => {
  try {
    checkProfile(integration.id, { ...integration.wire })
    return []
  } catch (thrown) {
    return [`wire.ts: ${(thrown as Error).message}`]
  }
}

const schemaProblems = ({ integration }: Subject): string[] => {
  const problems: string[] = []
  const [loaded] = createRegistry([integration]).all
  for (const { step } of loaded!.steps.values()) {
    const form = inputJsonSchema(step.input)
    for (const problem of portabilityProblems(form))
      problems.push(`steps/${step.id}.ts: its input ${problem}. ${portableRemedy}`)
    for (const problem of portabilityProblems(inputJsonSchema(step.input, scopeFields(step))))
      problems.push(`steps/${step.id}.ts: its tool input ${problem}. ${portableRemedy}`)
    outputJsonSchema(step.output)
  }
  for (const type of integration.connections) {
    for (const problem of portabilityProblems(inputJsonSchema(type.secrets)))
      problems.push(`manifest.ts: the secrets of connection type "${type.id}": ${problem}. ${portableRemedy}`)
    if (!(type.id in integration.wire.auth))
      problems.push(`wire.ts: auth has no entry for connection type "${type.id}"; give a placement or null.`)
  }
  return problems
}

const exampleProblems = (subject: Subject): string[] => {
  const problems: string[] = []
  const files = exampleFiles(subject)
  const { steps: own, operations, wire } = subject.integration
  // Without a list of endpoints there is nothing to find.
  const searchSteps = operations || wire.operations ? ['find-endpoints'] : []
  const steps = [...own.map((step) => step.id), ...searchSteps, 'api-call']
  for (const id of steps) {
    const exampleFile = files.find(({ name }) => name === id)
    if (!exampleFile)
      problems.push(
        `examples/${id}.json does not exist: every step has examples. Record one: toolyard record ${subject.integration.id} ${id}`,
      )
    else if (
      exampleFile.file.cases.length === 0 ||
      !exampleFile.file.cases.some((exampleCase) => exampleCase.output !== undefined)
    )
      problems.push(`examples/${id}.json has no case with an output. Record a run that succeeds.`)
  }
  for (const { name, file } of files) {
    if (file.step !== name)
      problems.push(
        `examples/${name}.json says step "${file.step}": the file is named after the step. Rename one of them.`,
      )
    if (!steps.includes(name)) problems.push(`examples/${name}.json belongs to no step; rename or remove it.`)
    for (const exampleCase of file.cases)
      if ((exampleCase.output === undefined) === (exampleCase.failure === undefined))
        problems.push(`examples/${name}.json, "${exampleCase.title}": give exactly one of output and failure.`)
  }
  for (const { name, file } of allExamples(subject))
    if (!('step' in file) && !('trigger' in file))
      problems.push(`examples/${name}.json names neither a step nor a trigger. Begin it with "step" or "trigger".`)
  return problems
}

const triggerExampleProblems = (subject: Subject): string[] => {
  const problems: string[] = []
  const files = triggerExampleFiles(subject)
  const triggers = subject.integration.triggers ?? []
  const ids = triggers.map(({ id }) => id)
  for (const { id, webhook } of triggers) {
    const cases = files.find(({ name }) => name === id)?.file.cases
    if (!cases)
      problems.push(
        `examples/${id}.json does not exist: every trigger has examples. ${webhook ? `Record one: toolyard record ${subject.integration.id} ${id}` : 'Write one by hand, with a "scan" of what a poll gets: docs/authors.md shows it.'}`,
      )
    else if (
      !cases.some(
        (exampleCase) => (exampleCase.data !== undefined && exampleCase.data !== null) || exampleCase.found?.length,
      )
    )
      problems.push(
        `examples/${id}.json has no case that starts an agent. Record a delivery that does, or write a scan that finds something.`,
      )
    // What does not start it says as much of a trigger; a scan shows it beside what it finds.
    else if (!cases.some((exampleCase) => exampleCase.data === null || exampleCase.scan))
      problems.push(`examples/${id}.json has no case that starts nothing. Add one with "data": null.`)
  }
  for (const { name, file } of files) {
    if (file.trigger !== name)
      problems.push(
        `examples/${name}.json says trigger "${file.trigger}": the file is named after the trigger. Rename one of them.`,
      )
    if (!ids.includes(name)) problems.push(`examples/${name}.json belongs to no trigger; rename or remove it.`)
    for (const exampleCase of file.cases) {
      const event =
        exampleCase.delivery !== undefined &&
        exampleCase.data !== undefined &&
        exampleCase.scan === undefined &&
        exampleCase.found === undefined
      const scan =
        exampleCase.scan !== undefined &&
        exampleCase.found !== undefined &&
        exampleCase.delivery === undefined &&
        exampleCase.data === undefined
      if (!event && !scan)
        problems.push(`examples/${name}.json, "${exampleCase.title}": give delivery and data, or scan and found.`)
    }
  }
  return problems
}

/** Whether an output of the schema may have a field at a path, as far as the schema says. */
const inSchema = (schema: JsonSchema | undefined, [name, ...remainingPath]: string[]): boolean => {
  if (schema === undefined || name === undefined) return schema !== undefined
  if (schema.items !== undefined) return inSchema(schema.items as JsonSchema, [name, ...remainingPath])
  return inSchema((schema.properties as Record<string, JsonSchema> | undefined)?.[name], remainingPath)
}
const inValue = (value: unknown, [name, ...remainingPath]: string[]): boolean => {
  if (name === undefined) return value !== undefined
  if (Array.isArray(value)) return value.some((entry) => inValue(entry, [name, ...remainingPath]))
  return typeof value === 'object' && value !== null && inValue((value as Record<string, unknown>)[name], remainingPath)
}

/** What agents are shown: a field that is misspelt there would be missing from every result without a word. */
const agentProblems = (subject: Subject): string[] => {
  const { integration } = subject
  const [loaded] = createRegistry([integration]).all
  const outputs = (id: string) =>
    exampleFiles(subject).flatMap(({ file }) => (file.step === id ? file.cases.map(({ output }) => output) : []))
  const ofSteps = integration.steps.flatMap((step) => {
    const [file, schema, seen, form] = [
      `steps/${step.id}.ts`,
      outputJsonSchema(step.output),
      outputs(step.id),
      inputJsonSchema(step.input),
    ]
    const isKnown = (path: string[]) => inSchema(schema, path) || seen.some((output) => inValue(output, path))
    return [
      ...(step.agentFields ?? [])
        .filter((field) => !isKnown(field.split('.')))
        .map(
          (field) =>
            `${file}: agentFields names "${field}", which neither its output nor its examples have. Correct the name, or remove it.`,
        ),
      ...Object.entries(step.fields ?? {})
        .filter(([name, { rare }]) => rare && ((form.required ?? []) as string[]).includes(name))
        .map(
          ([name]) => `${file}: fields.${name} is required, so it cannot be rare. Make it optional, or remove "rare".`,
        ),
    ]
  })
  const ofSets = (integration.toolSets ?? []).flatMap(({ id, steps }, index) => [
    ...((index === 0) === (id === 'core') ? [] : ['manifest.ts: the first of toolSets is "core". Put that first.']),
    ...steps
      .filter((step) => !loaded!.steps.has(step))
      .map(
        (step) =>
          `manifest.ts: the tool set "${id}" names "${step}", which is no step here. Correct the id, or remove it.`,
      ),
  ])
  return [...ofSteps, ...ofSets]
}

/** What an MCP host would offer and then fail at. */
export const promptProblems = async ({ integration }: Subject): Promise<string[]> =>
  (await problemsOfPrompts(integration)).map((problem) => `${integration.id}: ${problem}`)

const problemsOfPrompts = async (integration: Integration): Promise<string[]> => {
  const prompts = (await integration.prompts?.()) ?? []
  const [loaded] = createRegistry([integration]).all
  const isStep = (id: string) => loaded!.steps.has(id)
  return prompts.flatMap(({ id, steps, arguments: known }, index) => [
    ...(/^[a-z][a-z0-9-]*$/.test(id) ? [] : [`prompts.ts: the id "${id}" is not kebab-case.`]),
    ...(prompts.findIndex((other) => other.id === id) === index ? [] : [`prompts.ts: "${id}" is there twice.`]),
    ...(steps.length > 0 ? [] : [`prompts.ts: "${id}" names no steps, so every caller would be offered it.`]),
    ...steps
      .filter((step) => !isStep(step))
      .map((step) => `prompts.ts: "${id}" needs "${step}", which is no step here.`),
    ...known.flatMap(({ name, options }) => {
      const step = options && loaded!.steps.get(options.step)?.step
      return options === undefined || step?.fields?.[options.field]?.options
        ? []
        : [`prompts.ts: options of "${id}.${name}" name ${options.step}.${options.field}, which has no options.`]
    }),
  ])
}

/** Everything wrong with an integration's folder; each message names integration, file, field and remedy. */
export const structureProblems = (subject: Subject): string[] => {
  const { folder, integration } = subject
  const problems: string[] = []
  if (basename(folder) !== integration.id)
    problems.push(
      `The folder "${basename(folder)}" and the id "${integration.id}" in manifest.ts differ: make them equal.`,
    )
  for (const file of ['manifest.ts', 'wire.ts', 'records.ts'])
    if (!existsSync(join(folder, file)))
      problems.push(`${file} does not exist: every integration has one. Create it; scripts/starter has a short one.`)
  return [
    ...problems,
    ...textProblems(subject),
    ...unusedProblems(subject),
    ...openTaskProblems(subject),
    ...stepProblems(subject),
    ...triggerProblems(subject),
    ...replacementProblems(subject),
    ...profileProblems(subject),
    ...schemaProblems(subject),
    ...agentProblems(subject),
    ...exampleProblems(subject),
    ...triggerExampleProblems(subject),
    ...ownEventProblems(integration, triggerExampleFiles(subject)),
  ].map((problem) => `${integration.id}: ${problem}`)
}
