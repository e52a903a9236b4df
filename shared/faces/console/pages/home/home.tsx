import { useRef } from 'preact/hooks'
import { pathTo, recipes } from '../../api/index.ts'
import { Loading, Page, ProblemBox } from '../../ui/index.ts'
import { Attention, needsAttention } from './attention.tsx'
import { FirstRun } from './first-run.tsx'
import { LatestEvents, LatestRuns } from './latest.tsx'
import { QuickSteps } from './quick-steps.tsx'
import { useOverview } from './use-overview.ts'
import type { Overview } from './use-overview.ts'

const Latest = ({ overview: { runs, events } }: { overview: Overview }) => (
  <>
    <QuickSteps runs={runs} />
    <div>
      <h2>Latest events</h2>
      <LatestEvents events={events} />
      <p>
        <a href={pathTo('events')}>All events</a>
      </p>
    </div>
    <div>
      <h2>Latest runs</h2>
      <LatestRuns runs={runs} />
      <p>
        <a href={pathTo('runs')}>All runs</a>
      </p>
    </div>
    <p>
      An agent of your own: <a href={pathTo('agents')}>{recipes.value?.title ?? 'begin with a worked one'}</a>
    </p>
  </>
)

const Home = () => {
  const overview = useOverview()
  const { hasRun, subscriptions, hasEvent, hasStart, problem, isReady, reload } = overview
  const isComplete = hasRun && subscriptions.length > 0 && hasEvent && hasStart
  // A user who completes the last stage on this page still sees the stages, all done.
  const began = useRef(false)
  if (isReady && !isComplete) began.current = true
  return (
    <Page title="Overview">
      <ProblemBox problem={problem} retry={reload} />
      {!isReady && !problem && <Loading what="the overview" />}
      {isReady && (isComplete || needsAttention(overview)) && <Attention overview={overview} />}
      {isReady && began.current && <FirstRun overview={overview} />}
      {isReady && !began.current && <Latest overview={overview} />}
    </Page>
  )
}

export default Home
