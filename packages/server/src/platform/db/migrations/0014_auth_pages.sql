-- Every challenge and every login is written once and changed once soon after. Room on its page keeps the change there, without touching an
-- index: none of the changed columns is in one.
alter table auth_challenge set (fillfactor = 50);
alter table auth_operation set (fillfactor = 70);

-- A challenge begins with the moment it was made at: by its bytes it sorts by age, so the primary key serves the sweep as well.
alter table auth_challenge alter column value type text collate "C";
drop index auth_challenge_by_age;
