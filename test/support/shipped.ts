import { integrations } from '../../integrations/index.ts'

/** What the list of integrations holds, so that no test counts it by hand. */
export const integrationIds = integrations.map(({ id }) => id)

/** Each integration has Find Endpoints and API Call beside its own steps. */
export const stepCount = integrations.reduce((sum, { steps }) => sum + steps.length + 2, 0)

/** All but those that another one replaces: what the tool set `all` has. */
export const offeredCount = integrations.reduce(
  (sum, { steps }) =>
    sum + steps.filter(({ legacy, deprecated }) => legacy === undefined && deprecated === undefined).length + 2,
  0,
)

/** Names of the tools of a set, in the order of the integration's steps. One that declares no sets lists all. */
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
/** Of the pack itself: they ask several integrations. No core has them. */
export const anywhereTools = ['find_person_anywhere', 'find_company_anywhere']
/** What a server lists by default, without the tool that finds the others. */
export const listedTools = allCoreTools
/** Those of integrations that chose a core. */
export const chosenCoreTools = integrations
  .filter(({ toolSets }) => toolSets !== undefined)
  .flatMap(({ id }) => coreTools(id))

export const triggerCount = integrations.reduce((sum, { triggers = [] }) => sum + triggers.length, 0)
