/** Titles of jobs and their states. */
import type { Job } from '../../../../api/resources/job.ts'
import { badgeOf, number } from '../../ui/index.ts'
import type { StateWords } from '../../ui/index.ts'

const states: Record<Job['state'], StateWords> = {
  preparing: { title: 'Reading the file', tone: 'info' },
  ready: { title: 'Waits for a budget', tone: 'warn' },
  running: { title: 'Running', tone: 'info' },
  paused: { title: 'Paused', tone: 'warn' },
  done: { title: 'Done', tone: 'good' },
  cancelled: { title: 'Cancelled', tone: 'neutral' },
  failed: { title: 'Failed', tone: 'bad' },
}
export const StateBadge = badgeOf(states)

export const isUnderWay = ({ state }: Pick<Job, 'state'>) => state === 'preparing' || state === 'running'
/** Whether the job sends nothing more until somebody agrees to its cost. */
export const isWaiting = ({ state }: Pick<Job, 'state'>) => state === 'ready' || state === 'paused'

export const spentOf = ({ credits: { spent, estimated, max } }: Pick<Job, 'credits'>) =>
  [
    `${number(spent)} spent`,
    estimated > 0 && `${number(estimated)} of it estimated`,
    max !== null && `of a budget of ${number(max)}`,
  ]
    .filter(Boolean)
    .join(', ')
