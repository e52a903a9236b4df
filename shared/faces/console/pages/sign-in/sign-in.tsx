import { useId, useState } from 'preact/hooks'
import type { Problem } from '../../api/client.ts'
import { signIn } from '../../api/session.ts'
import { useAction } from '../../api/use-api.ts'
import { Button } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemBox } from '../../ui/states.tsx'

/** Shown at any address while nobody is signed in; after signing in, the page at that address appears. */
export const SignIn = ({
  problem,
  hasEnded,
  retry,
}: {
  problem: Problem | undefined
  hasEnded: boolean
  retry(): void
}) => {
  const id = useId()
  const [token, setToken] = useState('')
  const attempt = useAction(async () => {
    try {
      await signIn({ token: token.trim() })
    } finally {
      setToken('')
    }
  })
  const submit = (event: Event) => {
    event.preventDefault()
    void attempt.run()
  }
  return (
    <Page title="Sign in">
      {hasEnded && <p role="alert">Your session has ended. Sign in again to continue where you left off.</p>}
      {problem && <ProblemBox problem={problem} {...(problem.status === 401 ? {} : { retry })} />}
      <p>
        Run <code>toolyard console</code> where the server runs, and open the link that it prints. The link works once,
        for ten minutes.
      </p>
      <form class="panel narrow stack" onSubmit={submit}>
        <label for={id}>Or paste an API token</label>
        <input
          id={id}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary" busy={attempt.busy}>
          Sign in
        </Button>
        {attempt.problem && <ProblemBox problem={attempt.problem} />}
      </form>
    </Page>
  )
}
