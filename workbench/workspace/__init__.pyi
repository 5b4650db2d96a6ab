from . import (
    annotation_tables as annotation_tables,
    atomic as atomic,
    detached as detached,
    draft_tables as draft_tables,
    job_tables as job_tables,
    lock as lock,
    result_tables as result_tables,
    search_tables as search_tables,
    settings as settings,
    vote_tables as vote_tables,
    yaml_files as yaml_files,
)
from .accounts.account import EMAIL_LIMIT as EMAIL_LIMIT, Account as Account
from .accounts.account_keys import NOTE_LIMIT as NOTE_LIMIT, AccountKey as AccountKey, AccountKeys as AccountKeys
from .accounts.accounts import NAME_LIMIT as NAME_LIMIT, Accounts as Accounts
from .accounts.audit import PAGE as PAGE, AuditEntry as AuditEntry, AuditFilter as AuditFilter, AuditLog as AuditLog
from .accounts.passwords import SHORTEST as SHORTEST, check_password as check_password
from .accounts.people_at_work import (
    account_actor as account_actor,
    screen_actor as screen_actor,
    workspace_actor as workspace_actor,
)
from .accounts.sessions import Sessions as Sessions, session_limits as session_limits
from .accounts.sign_in import sign_in as sign_in, sign_in_by_email as sign_in_by_email, sign_out as sign_out
from .accounts.sign_in_state import has_sign_in as has_sign_in
from .accounts.tokens import new_token as new_token, token_digest as token_digest
from .annotation_tables import items as items
from .atomic import write_bytes as write_bytes, write_text as write_text
from .batches import batched as batched
from .cache import StepCache as StepCache
from .checksum import (
    FILES as FILES,
    DamagedFile as DamagedFile,
    check_files as check_files,
    checksums as checksums,
    sealed as sealed,
    unsealed as unsealed,
)
from .csv_safety import csv_text as csv_text, plain_text as plain_text, safe_cell as safe_cell, write_csv as write_csv
from .database import open_store as open_store, opened_store as opened_store, problem as problem
from .database_move import move_database as move_database, row_counts as row_counts
from .detached import ROOT as ROOT
from .diagnosis_tables import proposals as proposals
from .durations import PieceRate as PieceRate, duration_words as duration_words
from .jobs.job import (
    JOB_COLUMNS as JOB_COLUMNS,
    STATE_TITLES as STATE_TITLES,
    Job as Job,
    NoParameters as NoParameters,
    State as State,
    job_of as job_of,
)
from .jobs.jobs import JobClaim as JobClaim, Jobs as Jobs
from .jobs.kinds import KINDS as KINDS
from .jobs.task import RunningJob as RunningJob
from .jobs.uploads import UploadJobs as UploadJobs
from .name_locks import name_lock as name_lock
from .permissions.actor import (
    NOBODY as NOBODY,
    Actor as Actor,
    NotAllowed as NotAllowed,
    acting_as as acting_as,
    actor as actor,
    carried as carried,
    check as check,
    permits as permits,
    set_resolver as set_resolver,
    verb as verb,
)
from .permissions.verbs import VERBS as VERBS, Role as Role, role_named as role_named, verb_named as verb_named
from .result_tables import runs as runs
from .schema import saved_filters as saved_filters
from .settings import (
    CANDIDATES_LIMIT as CANDIDATES_LIMIT,
    PASSAGES_LIMIT as PASSAGES_LIMIT,
    QUESTION_LIMIT as QUESTION_LIMIT,
    Settings as Settings,
    load as load,
    secret as secret,
)
from .write_turns import alone as alone
from .yaml_blocks import (
    READERS as READERS,
    Block as Block,
    fill as fill,
    language_blocks as language_blocks,
    read_block as read_block,
)
from .yaml_files import YamlForm as YamlForm, read_mappings as read_mappings, read_text as read_text
