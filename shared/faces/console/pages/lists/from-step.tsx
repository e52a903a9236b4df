/** The fields of a step that is run for a list. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { problemOf } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { ConnectionField } from '../../form/connection.tsx'
import { Form } from '../../form/form.tsx'
import { optionsOf } from '../../form/load.ts'
import { useDraft } from '../../form/use-draft.ts'
import { Button } from '../../ui/index.ts'
import type { ListStep } from './sources.ts'

type Props = {
  source: ListStep
  /** Stores the list. */
  act(step: { integration: string; step: string; connection?: string | undefined; input: object }): Promise<unknown>
  refuse(problem: Problem | undefined): void
  children: ComponentChildren
}

const inputOf = /^\/step\/input(?=\/)/

export const FromStep = ({ source: { manifest, step }, act, refuse, children }: Props) => {
  const [connection, setConnection] = useState<string>()
  const [busy, setBusy] = useState(false)
  // The server reads page after page.
  const layout = { ...step.layout, fields: step.layout.fields.filter(({ name }) => name !== 'cursor') }
  const { form, input, check, refuse: refuseFields, forget } = useDraft(layout)
  const submit = async () => {
    if (busy || !check()) return
    refuse(undefined)
    setBusy(true)
    try {
      await act({ integration: manifest.id, step: step.id, connection, input: input() })
    } catch (thrown) {
      const problem = problemOf(thrown)
      const errors = (problem.errors ?? []).filter(({ pointer }) => inputOf.test(pointer))
      const ofFields = errors.map((error) => ({ ...error, pointer: error.pointer.replace(inputOf, '') }))
      if (!refuseFields(ofFields)) refuse(problem)
    }
    setBusy(false)
  }
  return (
    <>
      <ConnectionField
        integration={manifest.id}
        types={step.connection?.types}
        value={connection}
        onChange={(id) => {
          if (connection !== undefined && id !== connection) forget()
          setConnection(id)
        }}
      />
      <Form
        {...form}
        optionsFor={optionsOf(`steps/${manifest.id}/${step.id}`, connection)}
        integration={manifest.id}
        onSubmit={() => void submit()}
      >
        {children}
        <p class="row actions">
          <Button type="submit" kind="primary" busy={busy}>
            Store the list
          </Button>
        </p>
      </Form>
    </>
  )
}
