import { Page } from '../../ui/page.tsx'

const Start = () => <Page title="Start">{null}</Page>

export default Start
