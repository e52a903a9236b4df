import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { CompleteResult, GetPromptResult, Prompt as ListedPrompt, Server } from '@modelcontextprotocol/server'
import { isFailure, oneLine } from '#kit'
import type { Prompt, PromptArgument } from '#kit'
import { toolName } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import { readMeta } from './call.ts'
import type { Icons } from './icons.ts'
import type { View } from './server.ts'

/** A prompt of an integration, with what it is called over MCP. */
export type OwnPrompt = { name: string; integration: string; title: string; prompt: Prompt }

const maxLength = 200
const maxCompletions = 100

/** The prompts of all integrations. Loaded once, by the first client that lists them. */
export const promptsOf = (pack: Pack): (() => Promise<OwnPrompt[]>) => {
  const load = async () => {
    const lists = pack.registry.all.map(async ({ integration }) =>
      ((await integration.prompts?.()) ?? []).map((prompt) => ({
        name: toolName(integration.id, prompt.id),
        integration: integration.id,
        title: `${integration.title}: ${prompt.title}`,
        prompt,
      })),
    )
    return (await Promise.all(lists)).flat()
  }
  let prompts: Promise<OwnPrompt[]> | undefined
  return () => (prompts ??= load())
}

const refuse = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

const listed = ({ name, title, prompt }: OwnPrompt, icons: Icons): ListedPrompt => ({
  name,
  title,
  description: prompt.purpose,
  arguments: prompt.arguments.map(({ name: argument, title: label, description, required = false }) => ({
    name: argument,
    title: label,
    description,
    required,
  })),
  ...icons.named(prompt.icon),
})

/** What is wrong with a value; undefined: nothing. */
const problemOf = ({ required, choices, whole, maxLength: max = maxLength }: PromptArgument, value: string) => {
  if (value === '') return required ? 'is empty' : undefined
  if (value.length > max) return `has more than ${max} characters`
  if (choices && !choices.includes(value)) return `must be one of: ${choices.join(', ')}`
  if (whole && !(/^\d{1,15}$/.test(value) && Number(value) >= whole.min && Number(value) <= whole.max))
    return `must be a whole number from ${whole.min} to ${whole.max}`
  return undefined
}

/** @throws ProtocolError for a value that is missing, unknown or wrong */
const readArguments = ({ arguments: known }: Prompt, given: Record<string, string>): Record<string, string> => {
  const unknown = Object.keys(given).find((name) => !known.some((argument) => argument.name === name))
  if (unknown !== undefined)
    throw refuse(
      `"${oneLine(unknown.slice(0, 60))}" is no argument of this prompt. Its arguments: ${known.map(({ name }) => name).join(', ')}.`,
    )
  const values: Record<string, string> = {}
  for (const argument of known) {
    const value = given[argument.name]?.trim()
    const problem = value === undefined ? (argument.required ? 'is missing' : undefined) : problemOf(argument, value)
    if (problem !== undefined) throw refuse(`"${argument.name}" ${problem}. ${argument.title}: ${argument.description}`)
    // A form of a host sends empty text for what was left empty.
    if (value !== undefined && value !== '') values[argument.name] = value
  }
  return values
}

type PromptDependencies = {
  pack: Pack
  icons: Icons
  load: () => Promise<OwnPrompt[]>
  /** Whether a caller with this view may run a tool. */
  mayRun: (tool: string) => boolean
}

/** Choices of an argument that begin with or contain what was typed; those of a provider by their labels. */
const complete = async (
  pack: Pack,
  { integration }: OwnPrompt,
  { choices, options }: PromptArgument,
  { caller }: View,
  call: { typed: string; meta: Record<string, unknown> | undefined; signal: AbortSignal },
): Promise<string[]> => {
  const { typed, meta, signal } = call
  if (choices) return choices.filter((choice) => choice.includes(typed.toLowerCase()))
  if (!options || typed.length > maxLength) return []
  try {
    const { person } = readMeta(meta)
    const page = await pack.steps.options(caller, { integration, ...options, person, query: typed, signal })
    return page.options.map(({ label }) => label)
  } catch (thrown) {
    // Without an account, or without its answer, there is nothing to offer; the prompt itself still works.
    if (isFailure(thrown)) return []
    throw thrown
  }
}

/**
 * Lists and fills in the prompts whose steps the caller may run, and completes their arguments. A token that is bound
 * to connections gets those of their integrations.
 */
export const addPrompts = (server: Server, { pack, icons, load, mayRun }: PromptDependencies, view: View): void => {
  const offered = async (): Promise<OwnPrompt[]> => {
    const { caller, integration: only } = view
    const prompts = (await load()).filter(
      ({ integration, prompt: { steps } }) =>
        (only === undefined || integration === only) && steps.every((step) => mayRun(toolName(integration, step))),
    )
    if (caller.connections === undefined || prompts.length === 0) return prompts
    const connections = await pack.toolConnections.list(caller)
    return prompts.filter((prompt) => connections.some(({ integration }) => integration === prompt.integration))
  }
  const find = async (name: string): Promise<OwnPrompt> => {
    const prompt = (await offered()).find((candidate) => candidate.name === name)
    if (!prompt) throw refuse(`There is no prompt "${oneLine(name.slice(0, 128))}" here.`)
    return prompt
  }
  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await offered()).map((prompt) => listed(prompt, icons)),
  }))
  server.setRequestHandler('prompts/get', async ({ params }): Promise<GetPromptResult> => {
    const { prompt } = await find(params.name)
    const text = prompt.text(readArguments(prompt, params.arguments ?? {}))
    return { description: prompt.purpose, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
  server.setRequestHandler('completion/complete', async ({ params }, ctx): Promise<CompleteResult> => {
    const { ref, argument } = params
    if (ref.type !== 'ref/prompt') return { completion: { values: [] } }
    const prompt = await find(ref.name)
    const named = prompt.prompt.arguments.find(({ name }) => name === argument.name)
    if (!named) throw refuse(`"${oneLine(argument.name.slice(0, 60))}" is no argument of this prompt.`)
    const call = { typed: argument.value, meta: ctx.mcpReq._meta, signal: ctx.mcpReq.signal }
    const values = await complete(pack, prompt, named, view, call)
    return { completion: { values: values.slice(0, maxCompletions), hasMore: values.length > maxCompletions } }
  })
}
