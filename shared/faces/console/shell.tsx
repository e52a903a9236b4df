import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { consoleRoot, may, server, isServerUnreachable, session, signOut, useAction } from './api/index.ts'
import type { Scope } from './api/index.ts'
import { Button, ProblemBox } from './ui/index.ts'

const places: { path: string; title: string; also?: string[]; scope?: Scope }[] = [
  { path: '', title: 'Overview' },
  { path: 'steps', title: 'Steps' },
  { path: 'triggers', title: 'Triggers', also: ['subscriptions'] },
  { path: 'events', title: 'Events' },
  { path: 'starts', title: 'Starts' },
  { path: 'connections', title: 'Connections' },
  { path: 'runs', title: 'Runs' },
  { path: 'approvals', title: 'Approvals' },
  { path: 'jobs', title: 'Jobs' },
  { path: 'programs', title: 'Programs' },
  { path: 'usage', title: 'Usage' },
  { path: 'operator', title: 'Operator', scope: 'admin' },
]

const Navigation = () => {
  const { path } = useLocation()
  const [current = ''] = path.slice(consoleRoot.length).split('/')
  return (
    <nav aria-label="Main">
      <ul>
        {places
          .filter(({ scope }) => scope === undefined || may(scope))
          .map(({ path: to, title, also = [] }) => (
            <li key={to}>
              <a href={consoleRoot + to} aria-current={to === current || also.includes(current) ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

/** The frame around every page of a signed-in user. */
export const Shell = ({ children }: { children: ComponentChildren }) => {
  const { run, busy, problem } = useAction(signOut)
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={consoleRoot}>
          toolyard
        </a>
        <Navigation />
        <details class="who">
          <summary>{session.value?.tenant.name}</summary>
          <div>
            <p>
              Signed in with the token “{session.value?.token.name}” of the tenant {session.value?.tenant.id}.
            </p>
            <p class="muted">toolyard {server.value?.version}</p>
            <ProblemBox problem={problem} />
            <Button busy={busy} onClick={() => void run()}>
              Sign out
            </Button>
          </div>
        </details>
      </header>
      {isServerUnreachable.value && (
        <p class="banner bad" role="alert">
          The server does not answer. Check that it is running; this page goes on when it is back.
        </p>
      )}
      {children}
    </>
  )
}
