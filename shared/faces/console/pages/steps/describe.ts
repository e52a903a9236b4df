/** What the pages say about a step, from its manifest. */
import type { Manifest, StepManifest } from '../../api/index.ts'
import type { BadgeWords } from '../../ui/index.ts'

/** The step's effect on the provider's data, reduced to the values of the filter. */
export const kindOf = ({ effect }: StepManifest): 'read' | 'write' | 'delete' | 'any' =>
  effect === 'by-method' ? 'any' : effect === 'read' || effect === 'delete' ? effect : 'write'

const effectBadge: Record<ReturnType<typeof kindOf>, BadgeWords> = {
  read: { text: 'Reads' },
  write: { text: 'Writes', tone: 'info' },
  delete: { text: 'Deletes', tone: 'bad' },
  any: { text: 'Reads or writes', tone: 'info', title: 'Depends on the method' },
}

/** `price`: the price in words, when it is known. */
export const badgesOf = (step: StepManifest): BadgeWords[] => {
  const has = new Set(step.badges)
  return [
    effectBadge[kindOf(step)],
    ...(has.has('credits')
      ? [{ text: 'Costs credits', tone: 'warn' as const, ...(step.price === null ? {} : { title: step.price }) }]
      : []),
    ...(has.has('setup')
      ? [{ text: 'Needs settings', tone: 'warn' as const, title: step.notReady ?? step.needs.join(', ') }]
      : []),
    ...(step.legacy ? [{ text: 'Legacy', title: `Use ${step.legacy.use} instead` }] : []),
    ...(step.deprecated
      ? [{ text: 'Deprecated', tone: 'warn' as const, title: `Use ${step.deprecated.use} instead` }]
      : []),
    ...(has.has('beta')
      ? [{ text: 'Beta', title: 'Parts of it are assumptions, not yet confirmed with the provider' }]
      : []),
  ]
}

/** Whether a token may run the step: tokens can be bound to steps or to a tool set. */
export const mayRun = (
  { steps, toolSet }: { steps: string[] | null; toolSet: string | null },
  { id: integration, toolSets }: Manifest,
  step: string,
) =>
  (steps === null || steps.includes(`${integration}/${step}`)) &&
  (toolSet === null || toolSets.some(({ id, steps: inSet }) => id === toolSet && inSet.includes(step)))
