/** Jobs in words. */
import type { Job } from '../../../../api/resources/job.ts'
import { integrationTitle } from '../../api/index.ts'
import { badgeOf, number, percent, plural } from '../../ui/index.ts'
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

/** What a job does: "Looks up the people of people.csv at Contact data". */
export const sentenceOf = ({ kind, name, integration, state }: Job) => {
  const verb = isUnderWay({ state }) || isWaiting({ state }) ? 'Looks up' : 'Looked up'
  return `${verb} the ${kind === 'person' ? 'people' : 'companies'} of ${name} at ${integrationTitle(integration)}`
}

/** How far it came: "2 of 3 rows found (67 %), 1 without a match". */
export const progressOf = ({ rows, done, matched, hitRate, noMatch, errors }: Job) => {
  if (rows === null) return 'Its rows are being counted.'
  if (done === 0) return `${plural(rows, 'row')}, none looked up yet.`
  const matches = `${number(matched)} found${hitRate === null ? '' : ` (${percent(hitRate)})`}`
  const more = [
    noMatch > 0 && `${number(noMatch)} without a match`,
    errors > 0 && `${number(errors)} failed`,
    done < rows && `${number(rows - done)} to go`,
  ].filter(Boolean)
  return `${number(done)} of ${number(rows)} rows: ${[matches, ...more].join(', ')}.`
}

export const spentOf = ({ credits: { spent, estimated, max } }: Pick<Job, 'credits'>) =>
  [
    `${number(spent)} spent`,
    estimated > 0 && `${number(estimated)} of it estimated`,
    max !== null && `of a budget of ${number(max)}`,
  ]
    .filter(Boolean)
    .join(', ')
