/** Titles of jobs and their states. */
import type { Job } from '../../../../api/resources/job.ts'
import { Badge } from '../../ui/basics.tsx'
import type { Tone } from '../../ui/basics.tsx'

const states: Record<Job['state'], { title: string; tone: Tone }> = {
  preparing: { title: 'Reading the file', tone: 'info' },
  ready: { title: 'Waits for a budget', tone: 'warn' },
  running: { title: 'Running', tone: 'info' },
  paused: { title: 'Paused', tone: 'warn' },
  done: { title: 'Done', tone: 'good' },
  cancelled: { title: 'Cancelled', tone: 'neutral' },
  failed: { title: 'Failed', tone: 'bad' },
}
export const StateBadge = ({ state }: Pick<Job, 'state'>) => (
  <Badge tone={states[state].tone}>{states[state].title}</Badge>
)

export const isUnderWay = ({ state }: Pick<Job, 'state'>) => state === 'preparing' || state === 'running'
/** Whether the job sends nothing more until somebody agrees to its cost. */
export const isWaiting = ({ state }: Pick<Job, 'state'>) => state === 'ready' || state === 'paused'

const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
export const number = (value: number) => count.format(value)
export const range = ({ least, most }: { least: number; most: number }) =>
  least === most ? number(most) : `${number(least)} to ${number(most)}`
export const percent = (share: number) => `${Math.round(share * 100)} %`

export const spentOf = ({ credits: { spent, estimated, max } }: Pick<Job, 'credits'>) =>
  [
    `${number(spent)} spent`,
    estimated > 0 && `${number(estimated)} of it estimated`,
    max !== null && `of a budget of ${number(max)}`,
  ]
    .filter(Boolean)
    .join(', ')
