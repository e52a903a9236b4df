import { useRef } from 'preact/hooks'
import { pathTo } from '../../api/index.ts'
import { Loading, Page, ProblemBox } from '../../ui/index.ts'
import { Attention, needsAttention } from './attention.tsx'
import { FirstRun } from './first-run.tsx'
import { LatestRuns, LatestStarts } from './latest.tsx'
import { useOverview } from './use-overview.ts'
import type { Overview } from './use-overview.ts'

const Latest = ({ overview: { runs, starts } }: { overview: Overview }) => (
  <>
    <div>
      <h2>Latest runs</h2>
      <LatestRuns runs={runs} />
      <p>
        <a href={pathTo('runs')}>All runs</a>
      </p>
    </div>
    <div>
      <h2>Latest starts</h2>
      <LatestStarts starts={starts} />
      <p>
        <a href={pathTo('starts')}>All starts</a>
      </p>
    </div>
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
      {isReady && began.current && <FirstRun overview={overview} />}
      {isReady && (isComplete || needsAttention(overview)) && <Attention overview={overview} />}
      {isReady && !began.current && <Latest overview={overview} />}
    </Page>
  )
}

export default Home
