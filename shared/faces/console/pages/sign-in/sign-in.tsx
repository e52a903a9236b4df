import { useState } from 'preact/hooks'
import { loginAddress, nextPage, onwardAddress, readLoginName, session, signIn } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Page, ProblemBox, SubmitForm, TextField } from '../../ui/index.ts'

/** Shown to somebody who was sent here to sign in, and is signed in. */
const Onward = ({ next }: { next: string }) =>
  session.value && (
    <p class="panel narrow">
      You are signed in as “{session.value.token.name}” of the workspace {session.value.tenant.name}.{' '}
      <a class="button primary" href={onwardAddress(next)}>
        Continue
      </a>
    </p>
  )

const signInAndGoOn = async (token: string, next: string | undefined) => {
  await signIn({ token })
  if (next !== undefined) location.assign(onwardAddress(next))
}

/**
 * Shown at any address while nobody is signed in; after signing in, the page at that address appears, or the one that
 * sent the browser here.
 */
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
  const next = nextPage()
  const loginName = readLoginName()
  return (
    <Page title="Sign in">
      {hasEnded && <p role="alert">Your session has ended. Sign in again to continue where you left off.</p>}
      <ProblemBox problem={problem} retry={problem?.status === 401 ? undefined : retry} />
      {next !== undefined && <Onward next={next} />}
      {loginName !== undefined && (
        <p>
          <a class="button primary" href={loginAddress()}>
            Sign in with {loginName}
          </a>
        </p>
      )}
      <p>
        {loginName === undefined ? 'Run' : 'Or run'} <code>toolyard console</code> where the server runs, and open the
        link that it prints. The link works once, for ten minutes.
      </p>
      <SubmitForm
        class="panel narrow"
        submit="Sign in"
        act={() => signInAndGoOn(token.trim(), next).finally(() => setToken(''))}
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
