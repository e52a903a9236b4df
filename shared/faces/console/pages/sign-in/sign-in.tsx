import { useState } from 'preact/hooks'
import { signIn } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Page, ProblemBox, SubmitForm, TextField } from '../../ui/index.ts'

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
  const [token, setToken] = useState('')
  return (
    <Page title="Sign in">
      {hasEnded && <p role="alert">Your session has ended. Sign in again to continue where you left off.</p>}
      <ProblemBox problem={problem} retry={problem?.status === 401 ? undefined : retry} />
      <p>
        Run <code>toolyard console</code> where the server runs, and open the link that it prints. The link works once,
        for ten minutes.
      </p>
      <SubmitForm
        class="panel narrow"
        submit="Sign in"
        act={() => signIn({ token: token.trim() }).finally(() => setToken(''))}
      >
        {() => (
          <TextField
            label="Or paste an API token"
            type="password"
            spellcheck={false}
            required
            value={token}
            change={setToken}
          />
        )}
      </SubmitForm>
    </Page>
  )
}
