import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Integration } from '#kit'
import type { Subject } from './structure.ts'

type SourceFile = { name: string; text: string }

/** Code of the integration itself, without a fake provider and tests that may lie beside it. */
const sourcesIn = (folder: string): SourceFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^(fake|world|client)/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

const uses = (text: string, name: string) =>
  new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g')[Symbol.match](text)?.length ?? 0

const exportsOf = ({ text }: SourceFile): string[] =>
  [...text.matchAll(/^export (?:const|type|function|async function) (\w+)/gm)].map(([, name]) => name!)

/** Schemas, inputs, option sources and other exports that no other line names. */
const unusedExports = (sources: SourceFile[]): string[] =>
  sources.flatMap((source) =>
    exportsOf(source)
      .filter((name) => sources.every(({ text }) => uses(text, name) <= (text === source.text ? 1 : 0)))
      .map((name) => `${source.name}: nothing uses "${name}". Remove it, or use it.`),
  )

/** Endpoints of the profile that no step, trigger or other endpoint names. */
const unusedEndpoints = ({ integration }: Subject, sources: SourceFile[]): string[] => {
  const profile = JSON.stringify({ ...integration.wire, endpoints: undefined, assumed: undefined })
  const endpoints = Object.entries(integration.wire.endpoints ?? {})
  const ofSteps = new Set(integration.steps.flatMap((step) => step.endpoints ?? []))
  return endpoints
    .filter(([name]) => {
      const others = JSON.stringify(endpoints.filter(([other]) => other !== name).map(([, endpoint]) => endpoint))
      const isNamed = [profile, others].some((text) => text.includes(`"${name}"`))
      const isCode = sources.some(({ name: file, text }) => !/wire|profile/.test(file) && text.includes(`'${name}'`))
      return !ofSteps.has(name) && !isNamed && !isCode
    })
    .map(
      ([name]) => `wire.ts: no step uses the endpoint "${name}". Name it in the \`endpoints\` of a step, or remove it.`,
    )
}

const holds = (value: unknown, [name, ...rest]: string[]): boolean => {
  if (name === undefined) return value !== undefined
  if (Array.isArray(value)) return value.some((item) => holds(item, [name, ...rest]))
  return typeof value === 'object' && value !== null && holds((value as Record<string, unknown>)[name], rest)
}

/** Whether a reason in `assumed` is about something that is there; one word alone may name any topic. */
const isThere = ({ wire, steps, triggers = [] }: Integration, what: string): boolean => {
  const [first = '', ...rest] = what.split('.')
  if (rest.length === 0) return true
  if (first === 'steps') return rest[0] === 'api-call' || steps.some(({ id }) => id === rest[0])
  if (first === 'triggers') return triggers.some(({ id }) => id === rest[0])
  return holds(wire, [first, ...rest])
}

/** Credentials of connection types that do not exist, and reasons for guesses that nobody makes. */
const unusedProfile = ({ integration }: Subject): string[] => {
  const { wire, connections, profiles } = integration
  const types = connections.map(({ id }) => id)
  return [
    ...Object.entries(wire.auth)
      // With a reason, it is there for a type that an operator sets up.
      .filter(([type, placement]) => placement !== null && !types.includes(type) && !(`auth.${type}` in wire.assumed))
      .map(([type]) => `wire.ts: no connection type uses auth.${type}. Add the type to manifest.ts, or remove it.`),
    // A ready profile may make a guess that the documented one does not.
    ...(profiles ? [] : Object.keys(wire.assumed))
      .filter((what) => !isThere(integration, what))
      .map(
        (what) => `wire.ts: assumed explains "${what}", which is not there. Remove the reason, or correct its name.`,
      ),
  ]
}

/** What an author wrote and nothing uses. */
export const unusedProblems = (subject: Subject): string[] => {
  const sources = sourcesIn(subject.folder)
  return [...unusedExports(sources), ...unusedEndpoints(subject, sources), ...unusedProfile(subject)]
}

/** The marks that `npm run new` leaves for the author: what is still to do before the integration can be used. */
export const openTaskProblems = ({ folder }: Subject): string[] =>
  sourcesIn(folder).flatMap(({ name, text }) =>
    [...text.matchAll(/\bTODO:?\s*(.*?)(?:\*\/.*)?$/gm)].map(
      ([, what]) => `${name}: a "TODO" is left. Do it and remove the note: ${what!.trim()}`,
    ),
  )
