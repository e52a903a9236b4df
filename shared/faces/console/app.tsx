import type { ComponentChildren, ComponentType } from 'preact'
import lazy from 'preact-iso/lazy'
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
import Home from './pages/home/home.tsx'
import { SignIn } from './pages/sign-in/sign-in.tsx'
import { Button, Loading, Mark, Page, ProblemBox } from './ui/index.ts'

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

/** The code of all pages but the overview, loaded when one of them is first opened. */
const work = () => import('./pages/work.ts')

// It is needed as soon as the session is known, so both are loaded together.
if (location.pathname !== consoleRoot) void work().catch(() => undefined)

const lazily = <M,>(load: () => Promise<M>, pageOf: (module: M) => ComponentType) =>
  lazy(async () => pageOf(await load()))

/** The pages by their path below the console's. */
const routes: [path: string, page: ComponentType][] = [
  ['', Home],
  ['steps', lazily(work, (pages) => pages.Steps)],
  ['steps/:integration/:step', lazily(work, (pages) => pages.Step)],
  ['triggers', lazily(work, (pages) => pages.Triggers)],
  ['triggers/:integration/:trigger/attach', lazily(work, (pages) => pages.Attach)],
  ['subscriptions/:id', lazily(work, (pages) => pages.Subscription)],
  ['agents', lazily(work, (pages) => pages.Agents)],
  ['events', lazily(work, (pages) => pages.Events)],
  ['events/paste', lazily(work, (pages) => pages.Paste)],
  ['events/:id', lazily(work, (pages) => pages.Event)],
  ['starts', lazily(work, (pages) => pages.Starts)],
  ['starts/:id', lazily(work, (pages) => pages.Start)],
  ['connections', lazily(work, (pages) => pages.Connections)],
  ['connections/:id', lazily(work, (pages) => pages.Connection)],
  ['runs', lazily(work, (pages) => pages.Runs)],
  ['runs/:id', lazily(work, (pages) => pages.Run)],
  ['approvals', lazily(work, (pages) => pages.Approvals)],
  ['approvals/:id', lazily(work, (pages) => pages.Approval)],
  ['jobs', lazily(work, (pages) => pages.Jobs)],
  ['jobs/new', lazily(work, (pages) => pages.NewJob)],
  ['jobs/:id', lazily(work, (pages) => pages.Job)],
  ['lists', lazily(work, (pages) => pages.PeopleLists)],
  ['lists/new', lazily(work, (pages) => pages.NewPeopleList)],
  ['lists/:id', lazily(work, (pages) => pages.PeopleList)],
  ['people', lazily(work, (pages) => pages.People)],
  ['people/:id', lazily(work, (pages) => pages.Person)],
  ['programs', lazily(work, (pages) => pages.Programs)],
  ['usage', lazily(work, (pages) => pages.Usage)],
  ['operator', lazily(work, (pages) => pages.Operator)],
  ['operator/:section', lazily(work, (pages) => pages.Operator)],
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
      // Loaded while the session is resumed. After a failure, the signed-in page loads it again and shows what failed.
      if (code === undefined) loadServer().catch(() => undefined)
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

/** A page before the console, as those for connecting are. */
const Alone = ({ children }: { children: ComponentChildren }) => (
  <div class="alone">
    <header class="brand">
      <Mark />
      <span>toolyard</span>
    </header>
    {children}
  </div>
)

export const App = () => {
  const { isReady, problem, code, start, enterBy, stay } = useStart()
  if (!isReady) return <Loading what="the console" />
  if (code !== undefined)
    return (
      <Alone>
        <AnotherSignIn use={() => void enterBy(code)} stay={stay} />
      </Alone>
    )
  // A page of this server sent the browser here, because nobody is signed in there.
  if (!session.value || sessionEnded.value || nextPage() !== undefined)
    return (
      <Alone>
        <SignIn problem={problem} hasEnded={sessionEnded.value} retry={start} />
      </Alone>
    )
  return <SignedIn />
}
