import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { profileNames } from '../../shared/runtime/catalogue/choose-profile.ts'
import { buildManifest } from '../../shared/runtime/catalogue/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import type { LoadedIntegration } from '../../shared/runtime/catalogue/registry.ts'

type Operation = { method: string; path: string; tool: string }
type Example = { step?: string; cases: { exchanges?: { request: { method: string; path: string } }[] }[] }

/** What a text says about the provider's API: a method and a path, or a path alone. */
const mentions = (text: string) =>
  [...text.matchAll(/(?:\b(GET|POST|PUT|PATCH|DELETE) )?(\/(?:[\w{}*.-]+\/)+[\w{}*.-]*[\w{}])/g)].map(
    ([, method, path]) => ({
      method,
      path: path!,
    }),
  )

const isSamePath = (template: string, path: string) => {
  const [templateParts, other] = [template, path].map((text) => text.split('/'))
  const isOpen = (part: string) => /^(\{.*\}|\*)$/.test(part)
  return (
    templateParts!.length === other!.length &&
    templateParts!.every((part, at) => part === other![at] || isOpen(part) || isOpen(other![at]!))
  )
}

const examplesOf = (id: string): Example[] => {
  const folder = new URL(`../../integrations/${id}/examples/`, import.meta.url)
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Example)
}

/**
 * What steps send: the endpoints of the profile, and what their examples show. Find Endpoints and API Call are not
 * meant.
 */
const operationsOf = ({ integration, wire, steps }: LoadedIntegration): Operation[] => {
  const own = [...steps.values()].filter(({ step }) => integration.steps.includes(step))
  const examples = examplesOf(integration.id)
  return own.flatMap(({ step, tool }) => [
    ...(step.endpoints ?? []).flatMap((name) => {
      const endpoint = wire.endpoints?.[name]
      return typeof endpoint?.path === 'string' ? [{ method: endpoint.method ?? 'GET', path: endpoint.path, tool }] : []
    }),
    ...examples
      .filter((example) => example.step === step.id)
      .flatMap(({ cases }) =>
        cases.flatMap(({ exchanges = [] }) => exchanges.map(({ request }) => ({ ...request, tool }))),
      ),
  ])
}

/** Every text of a manifest that a person or a model reads: not its values, samples and examples. */
const textsIn = (value: unknown, at: string): { at: string; text: string }[] => {
  if (typeof value === 'string') return [{ at, text: value }]
  if (Array.isArray(value)) return value.flatMap((part) => textsIn(part, at))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([name]) => !['examples', 'sample', 'pattern', 'enum', 'default', 'const'].includes(name))
    .flatMap(([name, part]) => textsIn(part, `${at}.${name}`))
}

const rawPathsIn = (loaded: LoadedIntegration, texts: { at: string; text: string }[]): string[] => {
  const operations = operationsOf(loaded)
  return texts.flatMap(({ at, text }) =>
    mentions(text).flatMap(({ method, path }) => {
      const tools = operations
        .filter(
          (operation) => (method === undefined || operation.method === method) && isSamePath(path, operation.path),
        )
        .map(({ tool }) => tool)
      return tools.length === 0 || tools.some((tool) => text.includes(tool))
        ? []
        : [`${at}: ${path}: ${[...new Set(tools)].join(' or ')}`]
    }),
  )
}

const registry = createRegistry(integrations)
const profiles = registry.all.flatMap((loaded) =>
  [null, ...profileNames(loaded.integration)].map((name) => ({ name, loaded: loaded.withProfile(name) })),
)

describe('a text that mentions a path of the provider names the tool of the step that uses it', () => {
  it.each(profiles.map(({ name, loaded }) => [`${loaded.integration.id}, ${name ?? 'default'}`, loaded] as const))(
    '%s',
    (_name, loaded) => {
      const manifest = buildManifest(loaded, [])
      // What is assumed of the provider's API, and what API Call may do, speak of nothing but paths.
      const steps = manifest.steps.filter(({ id }) => id !== 'api-call')
      const texts = textsIn({ ...manifest, steps, wire: null, apiCall: null }, loaded.integration.id)
      expect(texts.length).toBeGreaterThan(50)
      expect(rawPathsIn(loaded, texts)).toEqual([])
    },
  )

  it('finds a path whatever its ids are called, and takes one beside the tool', () => {
    const board = registry.integration('work-board')
    const raw = (text: string) => rawPathsIn(board, [{ at: 'here', text }])
    expect(raw('Use API Call POST /1/cards/{idCard}/idLabels.')).toEqual([
      'here: /1/cards/{idCard}/idLabels: work_board_label_cards or work_board_add_label_to_card',
    ])
    expect(raw('See /1/cards/{id}/idLabels.')).toHaveLength(1)
    expect(raw('work_board_add_label_to_card (POST /1/cards/{id}/idLabels)')).toEqual([])
    expect(raw('POST /1/cards/{id}/stickers')).toEqual([])
    const paths = operationsOf(registry.integration('contact-data').withProfile('apollo')).map(({ path }) => path)
    expect(paths).toContain('/api/v1/people/match')
  })
})
