import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inputJsonSchema, outputJsonSchema, portabilityProblems } from '#kit'
import type { ExampleFile, Integration } from '#kit'
import { createRegistry } from '../../shared/runtime/registry.ts'
import { scopeFields } from '../../shared/runtime/manifest.ts'

/** An integration and the folder that holds it. */
export type Subject = { folder: string; integration: Integration }

export const kebab = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

const namesIn = (folder: string, ending: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length)).sort() : []

export const exampleFiles = ({ folder }: Subject): { name: string; file: ExampleFile }[] =>
  namesIn(join(folder, 'examples'), '.json').map((name) => ({ name, file: JSON.parse(readFileSync(join(folder, 'examples', `${name}.json`), 'utf8')) as ExampleFile }))

const stepProblems = ({ folder, integration }: Subject): string[] => {
  const problems: string[] = []
  const files = namesIn(join(folder, 'steps'), '.ts')
  const ids = integration.steps.map((step) => step.id)
  for (const name of files) if (!ids.includes(name)) problems.push(`steps/${name}.ts is not in the manifest's steps: import it in manifest.ts and list it.`)
  for (const step of integration.steps) {
    const file = `steps/${step.id}.ts`
    if (!files.includes(step.id)) problems.push(`${file} does not exist: a step's file is named after its id "${step.id}".`)
    if (kebab(step.title) !== step.id) problems.push(`${file}: the id is the kebab-case of the title; "${step.title}" gives "${kebab(step.title)}".`)
    if (!/^[A-Z].{15,}\.$/s.test(step.purpose)) problems.push(`${file}: "purpose" is one sentence for an agent, with a capital and a full stop.`)
    if (step.legacy && !ids.includes(step.legacy.use)) problems.push(`${file}: legacy.use names "${step.legacy.use}", which is no step here.`)
    for (const [name, spec] of Object.entries(step.fields ?? {})) {
      if (!(name in step.input.shape)) problems.push(`${file}: fields.${name} is not in the input; remove it or add the input field.`)
      for (const other of spec.dependsOn ?? []) if (!(other in step.input.shape)) problems.push(`${file}: fields.${name}.dependsOn names "${other}", which is not in the input.`)
    }
  }
  return problems
}

const schemaProblems = ({ integration }: Subject): string[] => {
  const problems: string[] = []
  const [loaded] = createRegistry([integration]).all
  for (const { step } of loaded!.steps.values()) {
    const form = inputJsonSchema(step.input)
    for (const problem of portabilityProblems(form)) problems.push(`steps/${step.id}.ts: its input ${problem}; see the portable profile in shared/kit/portable.ts.`)
    for (const problem of portabilityProblems(inputJsonSchema(step.input, scopeFields(step)))) problems.push(`steps/${step.id}.ts: its tool input ${problem}.`)
    outputJsonSchema(step.output)
  }
  for (const type of integration.connections) {
    for (const problem of portabilityProblems(inputJsonSchema(type.secrets))) problems.push(`manifest.ts: the secrets of connection type "${type.id}": ${problem}.`)
    if (!(type.id in integration.wire.auth)) problems.push(`wire.ts: auth has no entry for connection type "${type.id}"; give a placement or null.`)
  }
  return problems
}

const exampleProblems = (subject: Subject): string[] => {
  const problems: string[] = []
  const files = exampleFiles(subject)
  const steps = [...subject.integration.steps.map((step) => step.id), 'api-call']
  for (const id of steps) {
    const found = files.find(({ name }) => name === id)
    if (!found) problems.push(`examples/${id}.json does not exist: every step has examples.`)
    else if (found.file.cases.length === 0 || !found.file.cases.some((one) => one.output !== undefined)) problems.push(`examples/${id}.json has no case with an output.`)
  }
  for (const { name, file } of files) {
    if (file.step !== name) problems.push(`examples/${name}.json says step "${file.step}": the file is named after the step.`)
    if (!steps.includes(name) && !(subject.integration.triggers ?? []).some((trigger) => trigger.id === name)) problems.push(`examples/${name}.json belongs to no step or trigger; rename or remove it.`)
    for (const one of file.cases) if ((one.output === undefined) === (one.failure === undefined)) problems.push(`examples/${name}.json, "${one.title}": give exactly one of output and failure.`)
  }
  return problems
}

/** Everything wrong with an integration's folder; each message names the file and the remedy. */
export const structureProblems = (subject: Subject): string[] => {
  const { folder, integration } = subject
  const problems: string[] = []
  if (basename(folder) !== integration.id) problems.push(`The folder "${basename(folder)}" and the id "${integration.id}" in manifest.ts differ: make them equal.`)
  for (const file of ['manifest.ts', 'wire.ts', 'records.ts']) if (!existsSync(join(folder, file))) problems.push(`${file} does not exist: every integration has one.`)
  return [...problems, ...stepProblems(subject), ...schemaProblems(subject), ...exampleProblems(subject)]
}
