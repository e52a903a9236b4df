import { filePart, isFailure, isOutcomeUnknown, isUnreadable, path } from '#kit'
import type { AccountValue, Failure, FileRef, StepContext } from '#kit'
import { setCustomFields } from './custom-fields.ts'

/** The parts of a card that the board takes in requests of their own. */

type Parts = { customFields: AccountValue[]; file?: FileRef | undefined }
type PartProblem = { field: keyof Parts; state: 'failed' | 'unknown'; reason: string }

/** Attaches a file to a card. */
export const attachFile = (
  ctx: StepContext,
  card: string,
  file: FileRef,
  more: { name?: string; setCover?: boolean } = {},
) =>
  ctx.send({
    method: 'POST',
    path: path`/1/cards/${card}/attachments`,
    body: { ...more, file: filePart(file) },
    bodyAs: 'multipart',
    // Also in a step that updates: uploading twice makes two attachments.
    effect: 'create',
  })

/**
 * Writes each part once. A part that fails is returned as a problem, because the card was made or changed before and a
 * failed run would be repeated. `isCardWritten`: false if nothing was written before; then a run whose parts all failed
 * has failed. @throws Failure
 */
export const writeParts = async (
  ctx: StepContext,
  card: string,
  { customFields, file }: Parts,
  isCardWritten: boolean,
): Promise<PartProblem[]> => {
  const writes: [keyof Parts, () => Promise<unknown>][] = []
  if (customFields.length > 0)
    writes.push(['customFields', () => setCustomFields(ctx, card, customFields, file !== undefined)])
  if (file !== undefined) writes.push(['file', () => attachFile(ctx, card, file)])
  const problems: PartProblem[] = []
  let firstFailure: Failure | undefined
  for (const [field, write] of writes) {
    try {
      await write()
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      firstFailure ??= thrown
      problems.push({
        field,
        state: isOutcomeUnknown(thrown) || isUnreadable(thrown) ? 'unknown' : 'failed',
        reason: thrown.message,
      })
    }
  }
  if (!isCardWritten && firstFailure && problems.length === writes.length) throw firstFailure
  return problems
}

/** A written card as the step returns it. */
export const withProblems = (card: unknown, problems: PartProblem[]): unknown =>
  problems.length === 0 ? card : { ...(card as object), problems }
