import { integrations } from '../../integrations/index.ts'

/** What the list of integrations holds, so that no test counts it by hand. */
export const integrationIds = integrations.map(({ id }) => id)

/** Each integration has Find Endpoints and API Call beside its own steps. */
export const stepCount = integrations.reduce((sum, { steps }) => sum + steps.length + 2, 0)

export const triggerCount = integrations.reduce((sum, { triggers = [] }) => sum + triggers.length, 0)
