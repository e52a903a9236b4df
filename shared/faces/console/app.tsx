import type { ComponentType } from 'preact'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import {
  consoleRoot,
  loadServer,
  nextPage,
  problemOf,
  resume,
  server,
  session,
  sessionEnded,
  signIn,
} from './api/index.ts'
import type { Problem } from './api/index.ts'
import { Shell } from './shell.tsx'
import ApprovalPage from './pages/approvals/approval.tsx'
import Approvals from './pages/approvals/approvals.tsx'
import Connection from './pages/connections/connection.tsx'
import Connections from './pages/connections/connections.tsx'
import Event from './pages/events/event.tsx'
import Events from './pages/events/events.tsx'
import Paste from './pages/events/paste.tsx'
import Start from './pages/events/start.tsx'
import Starts from './pages/events/starts.tsx'
import Home from './pages/home/home.tsx'
import Job from './pages/jobs/job.tsx'
import Jobs from './pages/jobs/jobs.tsx'
import NewJob from './pages/jobs/new-job.tsx'
import Operator from './pages/operator/operator.tsx'
import Programs from './pages/programs/programs.tsx'
import Run from './pages/runs/run.tsx'
import Runs from './pages/runs/runs.tsx'
import Step from './pages/steps/step.tsx'
import Steps from './pages/steps/steps.tsx'
import Attach from './pages/triggers/attach.tsx'
import Subscription from './pages/triggers/subscription.tsx'
import Triggers from './pages/triggers/triggers.tsx'
import Usage from './pages/usage/usage.tsx'
import { SignIn } from './pages/sign-in/sign-in.tsx'
import { Button, Loading, Page, ProblemBox } from './ui/index.ts'

const NotFound = () => (
  <Page title="Page not found">
    <p>
      No page has this address. Go to the <a href={consoleRoot}>overview</a>.
    </p>
  </Page>
)

/** Shows a failure while a page is rendered in place of that page. */
const Pages = () => {
  const [failure, leave] = useErrorBoundary()
  return failure === undefined ? (
    <Routes />
  ) : (
    <Page title="This page failed">
      <ProblemBox problem={problemOf(failure)} retry={leave} />
    </Page>
  )
}

/** The pages by their path below the console's. */
const routes: [path: string, page: ComponentType][] = [
  ['', Home],
  ['steps', Steps],
  ['steps/:integration/:step', Step],
  ['triggers', Triggers],
  ['triggers/:integration/:trigger/attach', Attach],
  ['subscriptions/:id', Subscription],
  ['events', Events],
  ['events/paste', Paste],
  ['events/:id', Event],
  ['starts', Starts],
  ['starts/:id', Start],
  ['connections', Connections],
  ['connections/:id', Connection],
  ['runs', Runs],
  ['runs/:id', Run],
  ['approvals', Approvals],
  ['approvals/:id', ApprovalPage],
  ['jobs', Jobs],
  ['jobs/new', NewJob],
  ['jobs/:id', Job],
  ['programs', Programs],
  ['usage', Usage],
  ['operator', Operator],
  ['operator/:section', Operator],
]

const Routes = () => (
  <Router>
    {routes.map(([path, page]) => (
      <Route key={path} path={consoleRoot + path} component={page} />
    ))}
    <Route default component={NotFound} />
  </Router>
)

/** Reads the link's one-time code and removes it from the address before it is used. */
const takeCode = () => {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return code
}

/** Signs in with the link's code or the cookie, then reads the facts about the server. */
const useStart = () => {
  const [state, setState] = useState<{ isReady: boolean; problem?: Problem; code?: string }>({ isReady: false })
  const attempt = async (act: () => Promise<{ code?: string } | void>) => {
    setState({ isReady: false })
    try {
      setState({ isReady: true, ...(await act()) })
    } catch (thrown) {
      setState({ isReady: true, problem: problemOf(thrown) })
    }
  }
  const start = () =>
    attempt(async () => {
      const code = takeCode()
      await resume()
      if (code === undefined) return undefined
      if (session.value) return { code }
      return signIn({ code })
    })
  useEffect(() => {
    // When a tab that already shows the console opens a sign-in link, only the fragment changes.
    const onFragment = () => location.hash.startsWith('#code=') && void start()
    addEventListener('hashchange', onFragment)
    void start()
    return () => removeEventListener('hashchange', onFragment)
  }, [])
  return {
    ...state,
    start,
    enterBy: (code: string) => attempt(() => signIn({ code })),
    stay: () => setState({ isReady: true }),
  }
}

/**
 * Asks before a sign-in link replaces the current session: a user tricked with somebody else's link would connect
 * accounts for that person.
 */
const AnotherSignIn = ({ use, stay }: { use(): void; stay(): void }) => (
  <Page title="Sign in again?">
    <p>
      You are signed in with the token “{session.value?.token.name}” of the tenant {session.value?.tenant.id}. The link
      that you opened signs you in anew, perhaps as somebody else. Use it only if you asked for it yourself.
    </p>
    <p class="row">
      <Button kind="primary" onClick={stay}>
        Stay signed in
      </Button>
      <Button onClick={use}>Use the link</Button>
    </p>
  </Page>
)

const SignedIn = () => {
  const [problem, setProblem] = useState<Problem>()
  const load = () => {
    setProblem(undefined)
    loadServer().catch((thrown: unknown) => setProblem(problemOf(thrown)))
  }
  useEffect(load, [session.value?.token.id])
  return (
    <LocationProvider scope={consoleRoot}>
      <Shell>
        {problem ? (
          <Page title="Overview">
            <ProblemBox problem={problem} retry={load} />
          </Page>
        ) : server.value ? (
          <Pages />
        ) : (
          <Loading what="the console" />
        )}
      </Shell>
    </LocationProvider>
  )
}

export const App = () => {
  const { isReady, problem, code, start, enterBy, stay } = useStart()
  if (!isReady) return <Loading what="the console" />
  if (code !== undefined) return <AnotherSignIn use={() => void enterBy(code)} stay={stay} />
  // A page of this server sent the browser here, because nobody is signed in there.
  if (!session.value || sessionEnded.value || nextPage() !== undefined)
    return <SignIn problem={problem} hasEnded={sessionEnded.value} retry={start} />
  return <SignedIn />
}
