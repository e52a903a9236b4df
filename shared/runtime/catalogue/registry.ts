import { didYouMean, fail, failField, methods } from '#kit'
import type { ConnectionType, Effect, Integration, Step, WireProfile } from '#kit'
import type { CallPolicy } from '../../wire/types.ts'
import { apiCallStep } from './api-call-step.ts'
import { findEndpointsStep, isLocal } from './find-endpoints-step.ts'
import { noSuchProfile, operatorProfile, findProfile } from './choose-profile.ts'
import type { ChosenProfile } from './choose-profile.ts'
import { unsetSettings } from './profile.ts'
import { toolName } from './tool-name.ts'

/** An integration under one wire profile, with its steps by id; built once per pack and profile. */
export type LoadedIntegration = {
  integration: Integration
  wire: WireProfile
  /** The prefix of this profile's settings, as the operator writes them: `wire.<integration>`. */
  setting: string
  steps: Map<string, LoadedStep>
  /** Settings that the operator has yet to set, as dotted paths. */
  unset: string[]
  /** What the integration's own steps may send, before a connection narrows it. */
  stepPolicy: CallPolicy
  apiPolicy: CallPolicy
  /** Missing settings of a step or trigger that needs these endpoints, as dotted paths. */
  needsOf(item: Pick<Step, 'endpoints'>): string[]
  /**
   * The same integration under the named profile; null: under the operator's.
   * @throws Failure `wire_unset` when that profile no longer exists
   */
  withProfile(name: string | null | undefined): LoadedIntegration
}
export type LoadedStep = {
  loaded: LoadedIntegration
  step: Step
  /** Name for tool faces: `<integration>_<step>` in snake_case. */
  tool: string
  /** Missing settings, without which the step fails with `wire_unset`. */
  needs: string[]
}
export type Registry = {
  all: LoadedIntegration[]
  /** The integration under the operator's profile. */
  integration(id: string): LoadedIntegration
  /**
   * The integration under the profile that the connection chose; null: under the operator's.
   * @throws Failure `wire_unset` when that profile no longer exists
   */
  forConnection(row: { integration: string; profile?: string | null }): LoadedIntegration
  step(integration: string, step: string): LoadedStep
  byTool(tool: string): LoadedStep | undefined
}

type Endpoints = Pick<Step, 'endpoints'>

/** Whether every endpoint of the step has its own base URL. */
const needsNoAddress = ({ endpoints = [] }: Endpoints, wire: WireProfile) =>
  endpoints.length > 0 && endpoints.every((name) => wire.endpoints?.[name]?.baseUrl !== undefined)

const needsOf = (step: Endpoints, wire: WireProfile, unset: string[], start: string) =>
  unset.filter((setting) => {
    const [part, name] = setting.slice(start.length + 1).split('.')
    if (part === 'baseUrl') return !needsNoAddress(step, wire)
    if (part === 'auth') return true
    // A missing filter name only matters when that filter is used, so only the path decides readiness.
    return step.endpoints?.includes(name ?? '') === true && setting === `${start}.endpoints.${name}.path`
  })

const load = (
  integration: Integration,
  { wire, setting }: ChosenProfile,
  withProfile: LoadedIntegration['withProfile'],
): LoadedIntegration => {
  const unset = unsetSettings(setting, wire)
  // A single connection type with an auth placement makes a step usable.
  const authReady = Object.values(wire.auth).some((placement) => placement !== null)
  const relevant = authReady ? unset.filter((name) => !name.startsWith(`${setting}.auth.`)) : unset
  const absentOf = ({ endpoints = [] }: Endpoints) =>
    endpoints.filter((name) => wire.endpoints?.[name] === undefined).map((name) => `${setting}.endpoints.${name}.path`)
  const loaded: LoadedIntegration = {
    integration,
    wire,
    setting,
    unset,
    steps: new Map(),
    stepPolicy: { methods, under: '/', deny: [] },
    apiPolicy: integration.apiCall,
    needsOf: (item) => [...needsOf(item, wire, relevant, setting), ...absentOf(item)],
    withProfile,
  }
  for (const step of [...integration.steps, findEndpointsStep(integration), apiCallStep(integration)]) {
    const needs = isLocal(step) ? [] : loaded.needsOf(step)
    loaded.steps.set(step.id, { loaded, step, tool: toolName(integration.id, step.id), needs })
  }
  return loaded
}

/** Loads the integration under the operator's profile; other profiles are loaded when first chosen. */
const loadAll = (integration: Integration, override: Record<string, unknown> | undefined): LoadedIntegration => {
  const byProfile = new Map<string, LoadedIntegration>()
  const withProfile = (name: string | null | undefined): LoadedIntegration => {
    if (name === null || name === undefined) return ofOperator
    const cachedIntegration = byProfile.get(name)
    if (cachedIntegration) return cachedIntegration
    const chosen = findProfile(integration, override ?? {}, name)
    if (!chosen)
      throw fail(
        'wire_unset',
        `${noSuchProfile(integration, name)} The connection chose it; choose another one for it.`,
      )
    const made = load(integration, chosen, withProfile)
    byProfile.set(name, made)
    return made
  }
  const ofOperator = load(integration, operatorProfile(integration, override), withProfile)
  return ofOperator
}

/**
 * Builds the registry from the integrations and the operator's wire overrides.
 * @throws Failure `invalid_input` when an override is not usable
 */
export const createRegistry = (
  integrations: Integration[],
  overrides: Record<string, Record<string, unknown>> = {},
): Registry => {
  const byId = new Map<string, LoadedIntegration>()
  const byTool = new Map<string, LoadedStep>()
  for (const integration of integrations) {
    if (byId.has(integration.id)) throw fail('internal', `Two integrations have the id "${integration.id}".`)
    const loaded = loadAll(integration, overrides[integration.id])
    byId.set(integration.id, loaded)
    for (const step of loaded.steps.values()) byTool.set(step.tool, step)
  }
  for (const id of Object.keys(overrides)) {
    if (!byId.has(id))
      throw fail(
        'invalid_input',
        `The wire override names "${id}", which is no integration here. There are: ${[...byId.keys()].join(', ')}.`,
      )
  }
  const integration = (id: string) => {
    const loaded = byId.get(id)
    if (!loaded)
      throw failField(
        'integration',
        `There is no integration "${id}".${didYouMean(id, [...byId.keys()])} There are: ${[...byId.keys()].join(', ')}.`,
        'not_found',
      )
    return loaded
  }
  return {
    all: [...byId.values()],
    integration,
    forConnection: ({ integration: id, profile }) => integration(id).withProfile(profile),
    step(integrationId, stepId) {
      const loaded = integration(integrationId)
      const step = loaded.steps.get(stepId)
      if (!step)
        throw failField(
          'step',
          `"${integrationId}" has no step "${stepId}".${didYouMean(stepId, [...loaded.steps.keys()])} It has: ${[...loaded.steps.keys()].join(', ')}.`,
          'not_found',
        )
      return step
    },
    byTool: (tool) => byTool.get(tool),
  }
}

export const effectOf = (step: Step, input: Record<string, unknown>): Effect =>
  typeof step.effect === 'function' ? step.effect(input) : step.effect
export const typeOf = (loaded: LoadedIntegration, id: string): ConnectionType => {
  const type = loaded.integration.connections.find((candidate) => candidate.id === id)
  if (type) return type
  throw failField(
    'type',
    `${loaded.integration.id} has no connection type "${id}". It has: ${loaded.integration.connections.map((candidate) => candidate.id).join(', ')}.`,
  )
}
