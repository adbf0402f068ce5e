cd-narrow --contacts depth -j | grep -q '"point_a":\[[-0-9.e]*,[-0-9.e]*,-1\]'
