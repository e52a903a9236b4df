import { expect, test } from 'vitest'
import { messageOf } from '../../shared/store/postgres/jobs.ts'

test('a failure of the queue is named, whether it is reported as an error or as a copy of one', () => {
  const error = new Error('the queue is gone')
  expect(messageOf(error)).toBe('the queue is gone')
  expect(messageOf({ ...error, message: error.message, queue: 'starts' })).toBe('the queue is gone')
  expect(messageOf('gone')).toBe('gone')
  expect(messageOf(undefined)).toBe('undefined')
})
