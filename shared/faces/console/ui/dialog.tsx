import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAction } from '../api/use-api.ts'
import { Button, CopyButton } from './basics.tsx'
import { Glyph } from './glyph.tsx'
import { ProblemBox } from './states.tsx'

/**
 * A modal dialog, open while mounted. Escape and the close button call `onClose`; the browser keeps the focus inside
 * and returns it afterwards.
 */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  title: string
  onClose(): void
  children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key is pressed, which is meant for the dialog.
  useLayoutEffect(() => {
    const opener = document.activeElement
    element.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header class="row">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          <Glyph name="close" />
        </Button>
      </header>
      {children}
    </dialog>
  )
}

/** A button that opens a dialog. `children`: the dialog, given the function that closes it. */
export const DialogButton = ({
  label,
  kind,
  children,
}: {
  label: string
  kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  children(close: () => void): ComponentChildren
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...(kind ? { kind } : {})} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

type ConfirmProps = {
  title: string
  children: ComponentChildren
  confirm: string
  act(): Promise<unknown>
  onClose(): void
  danger?: boolean
}

/** Asks for confirmation, acts, and closes on success; a failure is shown in the dialog. */
export const Confirm = ({ title, children, confirm, act, onClose, danger = true }: ConfirmProps) => {
  const { run, busy, problem } = useAction(act)
  const decide = async () => {
    if (await run()) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ProblemBox problem={problem} />
      <footer class="row">
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={decide}>
          {confirm}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </Dialog>
  )
}

/** A button that asks before it acts, in its own words unless `title` and `confirm` say more. */
export const ConfirmButton = ({
  label,
  danger = true,
  kind = danger ? 'danger' : 'plain',
  title = `${label}?`,
  confirm = label,
  ...confirmProps
}: Pick<ConfirmProps, 'act' | 'children' | 'danger'> & {
  label: string
  kind?: 'danger' | 'plain' | 'quiet'
  title?: string
  confirm?: string
}) => (
  <DialogButton label={label} kind={kind}>
    {(close) => <Confirm {...confirmProps} title={title} confirm={confirm} danger={danger} onClose={close} />}
  </DialogButton>
)

/**
 * A secret that is shown once: only while this component is mounted, in a field to copy from. `noun`: what its button
 * copies.
 */
export const ShownOnce = ({
  name,
  noun,
  text,
  children,
}: {
  name: string
  noun: string
  text: string
  children: ComponentChildren
}) => {
  const id = useId()
  return (
    <>
      <div class="shown-once">
        <label for={id}>{name}: shown only now. Keep it in a safe place.</label>
        <input
          id={id}
          type="text"
          readOnly
          autocomplete="off"
          spellcheck={false}
          value={text}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <p class="row">
        <CopyButton text={text} label={`Copy the ${noun}`} />
        {children}
      </p>
    </>
  )
}
