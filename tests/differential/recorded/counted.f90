! SPDX-License-Identifier: Apache-2.0
! Procedures that count their own calls, recursion among them; the counts are printed.
module counted
  implicit none
  integer :: leaves = 0, steps = 0
contains
  function leaf(x) result(y)
    integer, intent(in) :: x
    integer :: y
    leaves = leaves + 1
    y = ieor(x, leaves)
  end function leaf

  recursive subroutine step(n, total)
    integer, intent(in) :: n
    integer, intent(inout) :: total
    steps = steps + 1
    total = total + leaf(n)
    if (n > 0) call step(n - 1, total)
    total = total + leaf(total)
  end subroutine step
end module counted

program fortran
  use counted
  implicit none
  integer :: i, total
  total = 0
  do i = 1, 50
    call step(mod(i, 9), total)
  end do
  print '(i0, 1x, i0)', leaves, steps
end program fortran
