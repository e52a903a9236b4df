/** What a page shows while it loads, when it is empty, and when something failed. */
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/client.ts'
import { pathTo } from '../api/root.ts'
import type { ApiState } from '../api/use-api.ts'
import { Button } from './basics.tsx'
import { withoutIds } from './words.ts'
import { Picture } from './picture.tsx'
import type { PictureName } from './picture.tsx'

/** Bars where the content will be; screen readers hear what is loading. */
export const Loading = ({ what }: { what: string }) => (
  <div class="loading" role="status">
    <span class="hidden">Loading {what}…</span>
    <i />
    <i />
    <i />
  </div>
)

/** Says what would be here and how to get it. `picture`: `search` where a filter matches nothing. */
export const Empty = ({
  title,
  picture = 'box',
  children,
}: {
  title: string
  picture?: PictureName
  children?: ComponentChildren
}) => (
  <div class="empty">
    <Picture name={picture} />
    <h2>{title}</h2>
    {children}
  </div>
)

const next: Record<string, string> = {
  not_allowed: 'Sign in with a token that has this permission, or ask your operator for one.',
  unreachable: 'The provider does not answer at the moment. Nothing is wrong with your input.',
  provider_failed: 'The provider answered with an error of its own. Try again later.',
  outcome_unknown: 'Check at the provider whether it took effect before you repeat it.',
}

/** A failure as a sentence, with the fields concerned and the remedy; nothing without a failure. */
export const ProblemBox = ({
  problem,
  retry,
  connection,
}: {
  problem: Problem | undefined
  retry?: (() => void) | undefined
  connection?: string | undefined
}) =>
  problem && (
    <div class="problem" role="alert">
      <p>{withoutIds(problem.detail)}</p>
      {problem.errors && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ pointer, message }) => (
            <li key={pointer + message}>
              {pointer !== '' && (
                <code>
                  {pointer
                    .replace(/^\/(input|config)\//, '')
                    .replaceAll('/', ' › ')
                    .replace(/^ › /, '')}
                </code>
              )}{' '}
              {message}
            </li>
          ))}
        </ul>
      )}
      {next[problem.code] && <p>{next[problem.code]}</p>}
      <p class="row">
        {problem.about === 'connection' && (
          <a class="button plain" href={pathTo('connections', ...(connection === undefined ? [] : [connection]))}>
            {connection === undefined ? 'View connections' : 'View the connection'}
          </a>
        )}
        {problem.approval && (
          <a class="button plain" href={pathTo('approvals', problem.approval.id)}>
            View what waits
          </a>
        )}
        {retry && <Button onClick={retry}>Try again</Button>}
        <span class="muted">
          <code>{problem.code}</code>
          {problem.runId !== undefined && (
            <>
              {' · '}
              <a href={pathTo('runs', problem.runId)}>View the run</a>
            </>
          )}
        </span>
      </p>
    </div>
  )

/** What was loaded. Before that it says so, and a failure is shown above what was loaded earlier. */
export const WhenLoaded = <T,>({
  of: { data, problem, reload },
  what,
  children,
}: {
  of: Pick<ApiState<T>, 'data' | 'problem' | 'reload'>
  what: string
  children(data: T): ComponentChildren
}) => (
  <>
    <ProblemBox problem={problem} retry={reload} />
    {data === undefined ? !problem && <Loading what={what} /> : children(data)}
  </>
)
