/**
 * A page with one form of the test integration: it takes the place of the console's own pages in their document, with
 * its styles and policy.
 */
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { post, problemOf } from '../../../shared/faces/console/api/client.ts'
import type { Problem } from '../../../shared/faces/console/api/client.ts'
import { loadServer, manifestOf } from '../../../shared/faces/console/api/server.ts'
import { resume } from '../../../shared/faces/console/api/session.ts'
import { ConnectionField } from '../../../shared/faces/console/form/connection.tsx'
import { fromInput, toInput } from '../../../shared/faces/console/form/draft.ts'
import type { Layout } from '../../../shared/faces/console/form/draft.ts'
import { Form } from '../../../shared/faces/console/form/form.tsx'
import { accountFieldsOf, optionsOf } from '../../../shared/faces/console/form/load.ts'
import { errorsOf, problemsOf } from '../../../shared/faces/console/form/problems.ts'
import type { FormError } from '../../../shared/faces/console/form/problems.ts'

const integration = 'forms'
const asked = new URLSearchParams(location.search)

const useRun = (layout: Layout, path: string | undefined) => {
  const [draft, setDraft] = useState(() => fromInput(JSON.parse(asked.get('input') ?? '{}')))
  const [connection, setConnection] = useState<string>()
  const [errors, setErrors] = useState<FormError[]>([])
  const [said, say] = useState('')
  const submit = async () => {
    say('')
    const found = problemsOf(layout, draft)
    setErrors(found)
    if (found.length > 0) return
    const input = toInput(layout, draft)
    if (path === undefined) return say(`sent ${JSON.stringify(input)}`)
    try {
      const { output } = await post<{ output: unknown }>(`${path}/run`, { connection, input })
      say(`done ${JSON.stringify(output)}`)
    } catch (thrown) {
      const problem: Problem = problemOf(thrown)
      setErrors(errorsOf(layout, problem.errors ?? [{ pointer: '', message: problem.detail }]))
    }
  }
  return { draft, setDraft, connection, setConnection, errors, said, submit }
}

const Whole = () => {
  const manifest = manifestOf(integration)!
  const step = manifest.steps.find(({ id }) => id === asked.get('step'))
  const layout = step?.layout ?? manifest.connections[0]!.layout
  const path = step && `steps/${integration}/${step.id}`
  const { draft, setDraft, connection, setConnection, errors, said, submit } = useRun(layout, path)
  return (
    <main id="content">
      <h1>{step?.title ?? 'Connect'}</h1>
      {step && (
        <ConnectionField
          integration={integration}
          types={step.connection?.types}
          value={connection}
          onChange={setConnection}
        />
      )}
      <Form
        layout={layout}
        draft={draft}
        onChange={setDraft}
        errors={errors}
        integration={integration}
        isSearch={asked.has('search')}
        optionsFor={path === undefined ? undefined : optionsOf(path, connection)}
        accountFields={path === undefined || !step ? undefined : accountFieldsOf(path, connection, step.accountFields)}
        onSubmit={() => void submit()}
      >
        <button type="submit" class="button primary">
          Send
        </button>
      </Form>
      <p role="status" id="said">
        {said}
      </p>
    </main>
  )
}

await resume()
await loadServer()
render(<Whole />, document.getElementById('app')!)
