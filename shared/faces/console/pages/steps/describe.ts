/** What the pages say about a step, from its manifest. */
import type { Manifest, StepManifest } from '../../api/index.ts'
import type { BadgeWords } from '../../ui/index.ts'

/** The step's effect on the provider's data, reduced to the values of the filter. */
export const kindOf = ({ effect }: StepManifest): 'read' | 'write' | 'delete' | 'any' =>
  effect === 'by-method' ? 'any' : effect === 'read' || effect === 'delete' ? effect : 'write'

/** Most steps only read, which needs no badge. */
const effectBadge: Record<ReturnType<typeof kindOf>, BadgeWords | undefined> = {
  read: undefined,
  write: { text: 'Writes', tone: 'info' },
  delete: { text: 'Deletes', tone: 'bad' },
  any: { text: 'Reads or writes', tone: 'info', title: 'Depends on the method' },
}

/** What holds for an integration as a whole is said once, beside its name. */
export const maturityBadge = (maturity: Manifest['maturity']): BadgeWords | undefined =>
  maturity === 'beta'
    ? { text: 'Beta', title: 'Parts of it are assumptions, not yet confirmed with the provider' }
    : undefined

/** What to know before running a step; one that only reads, and costs nothing, has none. */
export const badgesOf = (step: StepManifest): BadgeWords[] => {
  const has = new Set(step.badges)
  const effect = effectBadge[kindOf(step)]
  return [
    ...(effect ? [effect] : []),
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
