import { integrations } from '../../integrations/index.ts'

/** Figures about the shipped integrations, so that no test hard-codes them. */
export const integrationIds = integrations.map(({ id }) => id)

/** The number of steps: each integration has Find Endpoints and API Call in addition to its own. */
export const stepCount = integrations.reduce((sum, { steps }) => sum + steps.length + 2, 0)

/** The number of steps in the tool set `all`: those that no other step replaces. */
export const offeredCount = integrations.reduce(
  (sum, { steps }) =>
    sum + steps.filter(({ legacy, deprecated }) => legacy === undefined && deprecated === undefined).length + 2,
  0,
)

/**
 * Tool names of a set, in the order of the integration's steps. An integration that declares no sets lists all its
 * tools.
 */
export const toolsOfSet = (id: string, name: string): string[] => {
  const { steps, toolSets = [] } = integrations.find((candidate) => candidate.id === id)!
  const own = steps
    .filter(({ legacy, deprecated }) => legacy === undefined && deprecated === undefined)
    .map((step) => step.id)
  const order = [...own, 'find-endpoints', 'api-call']
  const set = toolSets.find((toolSet) => toolSet.id === name)?.steps ?? order
  return order.filter((step) => set.includes(step)).map((step) => `${id}_${step}`.replaceAll('-', '_'))
}
export const coreTools = (id: string) => toolsOfSet(id, 'core')
export const allCoreTools = integrationIds.flatMap(coreTools)
/** Tools of the pack itself, which query several integrations; they are in no core set. */
export const anywhereTools = ['find_person_anywhere', 'find_company_anywhere']
/** The tools that a server lists by default, without the one that finds the others. */
export const listedTools = allCoreTools
/** The core tools of integrations that declare tool sets. */
export const chosenCoreTools = integrations
  .filter(({ toolSets }) => toolSets !== undefined)
  .flatMap(({ id }) => coreTools(id))

export const triggerCount = integrations.reduce((sum, { triggers = [] }) => sum + triggers.length, 0)
